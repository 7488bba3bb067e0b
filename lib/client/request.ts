import { fromBase64, toBase64 } from './base64.ts';
import { IntentionError } from './errors.ts';

/** What the customer wants done, as the caller says it. */
export interface IntentionRequest {
  readonly url: string;
  /** @default 'POST' */
  readonly method?: string;
  /** Text and bytes are sent as they are, anything else as the JSON that it is now. @default no body */
  readonly body?: string | Uint8Array | object;
  /** @default 'application/json' */
  readonly contentType?: string;
}

/** The parts of a request that the server compares under one key. Frozen: every attempt sends exactly these. */
export interface FrozenRequest {
  readonly method: string;
  readonly url: string;
  readonly contentType: string;
  /** The bytes in base64. */
  readonly body: string;
}

/** @throws {IntentionError} `request-invalid`, when no `fetch` could ever send it */
export function freeze({ url, method = 'POST', contentType = 'application/json', body }: IntentionRequest) {
  try {
    const frozen: FrozenRequest = { method, url, contentType, body: toBase64(bytesOf(body)) };
    new Request(url, initOf(frozen, 'any-key', {})); // Throws where every attempt would.
    return frozen;
  } catch (cause) {
    throw new IntentionError('request-invalid', `The request cannot be sent: ${cause}`, { cause });
  }
}

function bytesOf(body: IntentionRequest['body']): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body === undefined) return new Uint8Array();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  if (text === undefined) throw new TypeError('The body has no JSON form.');
  return new TextEncoder().encode(text);
}

export const isSameRequest = (a: FrozenRequest, b: FrozenRequest): boolean =>
  a.method === b.method && a.url === b.url && a.contentType === b.contentType && a.body === b.body;

export type HeaderFields = Readonly<Record<string, string>>;

/** The key and the frozen parts come last: nobody's headers replace them. */
export function initOf(request: FrozenRequest, key: string, fields: HeaderFields): RequestInit {
  const headers = new Headers(fields);
  headers.set('Idempotency-Key', key);
  headers.set('Content-Type', request.contentType);
  return {
    method: request.method,
    headers,
    // A redirect would turn POST into GET, and the page it leads to would be taken for the answer.
    redirect: 'error',
    ...(request.body !== '' && { body: fromBase64(request.body) }),
  };
}
