import { MisuseError } from '../idempotency/errors.ts';
import { IGNORED_HEADER } from '../idempotency/key.ts';
import { REPLAYED_HEADER } from '../idempotency/replay.ts';
import type { FreshHeaders, HeaderReader, HttpRequest, HttpResponse } from './message.ts';

export interface CorsOptions {
  /** Origins that may read answers, as browsers send them (`https://shop.example.com`); `'*'` for all. */
  readonly origins: readonly string[] | '*';
  /** Whether cookies and HTTP authentication may go along; not with `'*'`. @default false */
  readonly credentials?: boolean;
  /** Headers that scripts may read, besides those that a client of keys needs. @default none */
  readonly exposeHeaders?: readonly string[];
  /** Headers that scripts may send, besides the key's, `Content-Type` and `Authorization`. @default none */
  readonly allowHeaders?: readonly string[];
  /** @default GET, HEAD, POST, PUT, PATCH and DELETE */
  readonly allowMethods?: readonly string[];
  /** How long a browser may remember the permission. @default 600 */
  readonly maxAgeSeconds?: number;
}

/** What a client of keys reads: where the result is, when to come again, whether it is a replay, and the links. */
const EXPOSED = ['Location', 'Retry-After', 'ETag', 'Link', REPLAYED_HEADER, IGNORED_HEADER];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const MAX_AGE_SECONDS = 600;

export interface Cors {
  /** For every answer. */
  headers(request: HeaderReader): FreshHeaders;
  /** The answer to a browser's question whether it may send a request; `undefined` for any other request. */
  preflight(request: HttpRequest): HttpResponse | undefined;
}

/** CORS as the middleware does it, for doors that do not: REST APIs, load balancers and function URLs. */
export function corsOf(options: CorsOptions, keyHeader: string): Cors {
  const { origins, credentials = false, exposeHeaders = [], allowHeaders = [], allowMethods = METHODS } = options;
  if (origins === '*' && credentials)
    throw new MisuseError(
      'cors: browsers refuse credentials for every origin. List the origins, or drop `credentials`.',
    );
  const malformed = origins === '*' ? undefined : origins.find((origin) => !isOrigin(origin));
  if (malformed !== undefined)
    throw new MisuseError(
      `cors: ${JSON.stringify(malformed)} is no origin. Write it as a browser sends it, for example https://shop.example.com, without a path.`,
    );
  const exposed = [...EXPOSED, ...exposeHeaders].join(', ');
  const headers = (request: HeaderReader): FreshHeaders => {
    const origin = request.header('origin')[0];
    if (origins === '*') return { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed };
    if (origin === undefined || !origins.includes(origin)) return { vary: 'Origin' };
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': exposed,
      ...(credentials && { 'access-control-allow-credentials': 'true' }),
      vary: 'Origin',
    };
  };
  const permission = {
    'access-control-allow-methods': allowMethods.join(', '),
    'access-control-allow-headers': [keyHeader, 'Content-Type', 'Authorization', ...allowHeaders].join(', '),
    'access-control-max-age': String(options.maxAgeSeconds ?? MAX_AGE_SECONDS),
  };
  const preflight = (request: HttpRequest): HttpResponse | undefined => {
    const isPreflight = request.method === 'OPTIONS' && request.header('access-control-request-method').length > 0;
    return isPreflight ? { status: 204, headers: permission, body: new Uint8Array() } : undefined;
  };
  return { headers, preflight };
}

/** Scheme, host and perhaps a port; apps have schemes of their own. */
const isOrigin = (text: string): boolean => text === 'null' || /^[a-z][a-z\d+.-]*:\/\/[^/\s]+$/.test(text);
