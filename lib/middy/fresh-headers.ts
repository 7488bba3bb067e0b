import { type CorsOptions, corsOf } from '../http/cors.ts';
import type { FreshHeaders, HeaderReader, HttpRequest, HttpResponse } from '../http/message.ts';
import { IGNORED_HEADER } from '../idempotency/key.ts';

export interface FreshHeadersOptions {
  /** CORS on every answer. An HTTP API does it itself. @default none */
  readonly cors?: CorsOptions | undefined;
  /** Headers for every answer, never stored, for example `Strict-Transport-Security`. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What is said afresh with every answer, be it the first, a replay or a problem, and is never stored. */
export function freshHeadersOf({ cors: corsOptions, headers = {} }: FreshHeadersOptions, keyHeader: string) {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const cors = corsOptions && corsOf(corsOptions, keyHeader);
  return {
    of: (request: HeaderReader, isKeyIgnored: boolean): FreshHeaders => ({
      ...own,
      ...cors?.headers(request),
      ...(isKeyIgnored && { [IGNORED_HEADER]: 'true' }),
    }),
    /** The answer to a browser that asks whether it may send a request; `undefined` for every other request. */
    preflight: (request: HttpRequest): HttpResponse | undefined => cors?.preflight(request),
  };
}
