import { canonicalJson } from './canonical-json.ts';
import { digest } from './digest.ts';

declare const brand: unique symbol;

/** `<algorithm>:<base64url digest>` of what a request asks for. */
export type Fingerprint = string & { readonly [brand]: 'Fingerprint' };

/** Changes whenever the rules below do, so that an old claim is never compared by new rules. */
const ALGORITHM = 'f1';

/** What makes two requests the same request. Stage, domain and trailing slash are no part of it. */
export interface RequestIdentity {
  /** Upper case. */
  readonly method: string;
  /** The route's pattern, for example `POST /payments/{id}/refunds`, then the values of its parameters by name. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Decoded name and value pairs in the order sent. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** `Content-Type` as sent; its parameters do not count. */
  readonly contentType: string;
  /** The body's bytes, decoded from base64 where the event had it so. */
  readonly body: Uint8Array;
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : a > b ? 1 : 0);

const mediaType = (contentType: string): string => (contentType.split(';', 1)[0] as string).trim().toLowerCase();

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');

/**
 * Fingerprints a request: method, route and its parameters, query sorted by name (the values of one name keep their
 * order), media type, and the body, canonicalised by RFC 8785 where it is JSON and nothing is lost by parsing it.
 */
export function fingerprintOf(request: RequestIdentity): Fingerprint {
  const type = mediaType(request.contentType);
  const canonical = isJson(type) ? canonicalJson(request.body) : undefined;
  const parameters = Object.entries(request.parameters).sort(byName);
  const query = [...request.query].sort(byName);
  const parts = [
    request.method,
    request.route,
    String(parameters.length),
    ...parameters.flat(),
    String(query.length),
    ...query.flat(),
    type,
    canonical === undefined ? 'bytes' : 'json',
    canonical ?? request.body,
  ];
  return `${ALGORITHM}:${digest(parts)}` as Fingerprint;
}
