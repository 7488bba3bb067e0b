import { fromBase64, toBase64 } from './base64.ts';

/** A whole answer in a form that can be kept: everything was read, nothing is a stream. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The bytes in base64. */
  readonly body: string;
}

/** They describe how the bytes travelled, or are for one connection's eyes only. */
const NOT_KEPT: readonly string[] = ['content-encoding', 'content-length', 'set-cookie', 'transfer-encoding'];

/** What a `Response` may carry. Behind a filter (an opaque answer) the status is 0. */
export const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;

/** The `Response` constructor refuses a body, even an empty one, for these. */
const STATUSES_WITHOUT_BODY: readonly number[] = [204, 205, 304];

const JSON_TYPE = /^application\/(?:json|[^;]+\+json)\s*(?:;|$)/i;
const PROBLEM_TYPE = /^application\/problem\+json\s*(?:;|$)/i;

/** @throws when the answer cannot be read or was cut, also where only its JSON shows it */
export async function readAnswer(response: Response): Promise<Answer> {
  if (!isStatus(response.status)) throw new Error(`An answer of status ${response.status} cannot be read.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const answer: Answer = {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !NOT_KEPT.includes(name)),
    body: toBase64(bytes),
  };
  // Behind some proxies the end of the connection is the end of the body, and a cut looks like an end.
  if (bytes.length > 0 && JSON_TYPE.test(headerOf(answer, 'content-type') ?? '')) jsonOf(answer);
  return answer;
}

/** A fresh one each time, because a body can be read only once. */
export function toResponse({ status, headers, body }: Answer): Response {
  const bytes = STATUSES_WITHOUT_BODY.includes(status) ? null : fromBase64(body);
  return new Response(bytes, { status, headers: headers.map(([name, value]): [string, string] => [name, value]) });
}

export const headerOf = ({ headers }: Answer, name: string): string | undefined =>
  headers.find(([present]) => present === name)?.[1];

const jsonOf = ({ body }: Answer): unknown => JSON.parse(new TextDecoder().decode(fromBase64(body)));

/** What a problem document (RFC 9457) tells a program. */
export interface ProblemHint {
  readonly code?: unknown;
  readonly retry?: unknown;
}

export function problemOf(answer: Answer): ProblemHint {
  if (!PROBLEM_TYPE.test(headerOf(answer, 'content-type') ?? '') || answer.body === '') return {};
  const document = jsonOf(answer);
  return typeof document === 'object' && document !== null ? document : {};
}
