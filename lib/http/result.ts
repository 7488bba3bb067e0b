import { STATUS_CODES } from 'node:http';
import { MisuseError } from '../idempotency/errors.ts';
import { IGNORED_HEADER } from '../idempotency/key.ts';
import { REPLAYED_HEADER } from '../idempotency/replay.ts';
import { type HeaderLine, joined, linesOf, replaced } from './header-lines.ts';
import type { FreshHeaders, HttpResponse } from './message.ts';
import { asText } from './text.ts';

/** What a function returns, in the members of every format; each format uses its own. */
export interface HttpResult {
  statusCode?: number | undefined;
  statusDescription?: string | undefined;
  headers?: { [name: string]: string | number | boolean } | undefined;
  multiValueHeaders?: { [name: string]: (string | number | boolean)[] } | undefined;
  cookies?: string[] | undefined;
  body?: string | undefined;
  isBase64Encoded?: boolean | undefined;
}

/** A result that this library has written: it fits the result type of every format. */
export interface WrittenResult extends HttpResult {
  statusCode: number;
  body: string;
}

/** How one format carries a header. */
export type WriteHeader = (
  lines: readonly HeaderLine[],
) => Pick<HttpResult, 'headers' | 'multiValueHeaders' | 'cookies'>;

/** How one format writes a result. */
export interface ResultFormat {
  readonly writeHeader: WriteHeader;
  /** Load balancers want the reason phrase too. */
  readonly hasDescription: boolean;
}

/** A response in a format's own shape: text as text, everything else as base64. */
export function toResult(format: ResultFormat, response: HttpResponse, fresh: FreshHeaders = {}): WrittenResult {
  const text = asText(response.body);
  return {
    statusCode: response.status,
    ...description(format, response.status),
    ...format.writeHeader(replaced(Object.entries(response.headers), fresh)),
    body: text ?? Buffer.from(response.body).toString('base64'),
    isBase64Encoded: text === undefined,
  };
}

const description = ({ hasDescription }: ResultFormat, status: number): Pick<HttpResult, 'statusDescription'> =>
  hasDescription ? { statusDescription: `${status} ${STATUS_CODES[status] ?? ''}`.trim() } : {};

type Structured = HttpResult & { statusCode: number };

const isStructured = (result: unknown): result is Structured =>
  typeof result === 'object' && result !== null && typeof (result as { statusCode?: unknown }).statusCode === 'number';

/** Everything whose bytes only come when somebody reads: Node's and the web's streams, `Response`, iterators. */
const isStream = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (['pipe', 'getReader', 'arrayBuffer'].some((name) => typeof Reflect.get(value, name) === 'function') ||
    Symbol.asyncIterator in value);

function textOf(body: unknown): string {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  const cure = isStream(body)
    ? 'a stream, which can be neither stored nor replayed. Read it to its end and return its bytes, as base64 with ' +
      'isBase64Encoded where they are no text; and do not use a streaming execution mode on a route with keys'
    : `${Object.prototype.toString.call(body)}. Return a string: JSON.stringify() data, and bytes as base64 with isBase64Encoded`;
  throw new MisuseError(`A handler behind idempotency() returned a body that is ${cure}.`);
}

const resultLines = (result: Structured): readonly HeaderLine[] => [
  ...linesOf(result),
  ...(result.cookies ?? []).map((cookie): HeaderLine => ['set-cookie', cookie]),
];

/**
 * A handler's result as a response. In every format a handler may return anything but a structured result as shorthand
 * for a JSON body with status 200, a string as it is; `undefined` is such an answer too, an empty one.
 *
 * @throws MisuseError for a stream, and for a body that is no string.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function fromResult(result: unknown): HttpResponse {
  if (!isStructured(result)) {
    const text = isStream(result) || typeof result === 'string' ? textOf(result) : JSON.stringify(result);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text ?? '') };
  }
  const headers = Object.entries(joined(resultLines(result))).map(([name, value]) => [name.toLowerCase(), value]);
  const body = Buffer.from(textOf(result.body), result.isBase64Encoded ? 'base64' : 'utf8');
  return { status: result.statusCode, headers: Object.fromEntries(headers), body };
}

/** What only this library may say. */
const MARKS: readonly string[] = [REPLAYED_HEADER, IGNORED_HEADER];

/**
 * A handler's own result as it leaves: spelled out where it was shorthand, so that a replay has its very bytes whatever
 * the gateway makes of shorthand; its header where the format looks for it; without marks that are not the handler's to
 * set. A stream on a route without a key passes as it is.
 */
export function ownResult(format: ResultFormat, result: unknown, fresh: FreshHeaders = {}): HttpResult {
  // A bare stream has nowhere to put a header.
  if (!isStructured(result))
    return isStream(result) ? (result as HttpResult) : toResult(format, fromResult(result), fresh);
  const { headers: _, multiValueHeaders: __, cookies: ___, ...rest } = result;
  const lines = resultLines(result).filter(([name]) => !MARKS.includes(name.toLowerCase()));
  return { ...description(format, result.statusCode), ...rest, ...format.writeHeader(replaced(lines, fresh)) };
}
