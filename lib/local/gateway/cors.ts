import type { CorsModel } from '../template/service-model.ts';
import type { HttpReply } from './http-reply.ts';

type Headers = HttpReply['headers'];

/** The answer to a preflight, which an HTTP API with CORS gives by itself; its headers come from `corsHeaders`. */
export const PREFLIGHT_REPLY: HttpReply = { status: 204, headers: [], body: '' };

export function isPreflight(method: string, headers: NodeJS.Dict<string | string[]>): boolean {
  return method === 'OPTIONS' && 'origin' in headers && 'access-control-request-method' in headers;
}

/** For an answer to a page of this origin; none when the origin is not allowed. */
export function corsHeaders(cors: CorsModel, origin: string | undefined, preflight: boolean): Headers {
  const allowed = origin === undefined ? undefined : allowedOrigin(cors, origin);
  if (allowed === undefined) return [];
  return [
    ['access-control-allow-origin', allowed],
    ...(allowed === '*' ? [] : ([['vary', 'Origin']] as const)),
    ...(cors.allowCredentials ? ([['access-control-allow-credentials', 'true']] as const) : []),
    ...(preflight ? preflightHeaders(cors) : list('access-control-expose-headers', cors.exposeHeaders)),
  ];
}

/** The gateway's configuration replaces whatever the function says about CORS. */
export function withoutCors(headers: Headers): Headers {
  return headers.filter(([name]) => !name.startsWith('access-control-'));
}

function preflightHeaders(cors: CorsModel): Headers {
  return [
    ...list('access-control-allow-methods', cors.allowMethods),
    ...list('access-control-allow-headers', cors.allowHeaders),
    ...(cors.maxAgeSeconds === undefined ? [] : [['access-control-max-age', String(cors.maxAgeSeconds)] as const]),
  ];
}

function list(name: string, values: readonly string[]): Headers {
  return values.length === 0 ? [] : [[name, values.join(',')]];
}

function allowedOrigin({ allowOrigins }: CorsModel, origin: string): string | undefined {
  if (allowOrigins.includes('*')) return '*';
  const matches = allowOrigins.some((allowed) =>
    allowed.endsWith('*') ? origin.startsWith(allowed.slice(0, -1)) : allowed === origin,
  );
  return matches ? origin : undefined;
}
