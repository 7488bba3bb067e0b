import { type FieldRules, readRules, selectFields, writeRules } from './body-fields.ts';
import { canonicalJson } from './canonical-json.ts';
import { digest } from './digest.ts';

declare const brand: unique symbol;

/** `<algorithm><rules>:<base64url digest>` of what a request asks for. The rules are absent where all of it counts. */
export type Fingerprint = string & { readonly [brand]: 'Fingerprint' };

/** What a request is aimed at. */
export interface Target {
  /** The route's pattern, for example `POST /payments/{id}/refunds`, then the values of its parameters by name. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What makes two requests the same request. Stage, domain and trailing slash are no part of it. */
export interface RequestIdentity extends Target {
  /** Upper case. */
  readonly method: string;
  /** What earlier code, or another front door, calls the same target; claims made under such a name still match. */
  readonly formerTargets?: readonly Target[];
  /** Decoded name and value pairs in the order sent. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** `Content-Type` as sent; its parameters do not count. */
  readonly contentType: string;
  /** The body's bytes, decoded from base64 where the event had it so. */
  readonly body: Uint8Array;
}

/** How an algorithm sees a request. */
export type Algorithm = (request: RequestIdentity, rules: FieldRules) => string;

/**
 * Every algorithm that a living claim may have been made by, and the one that new claims are made by. New rules get a
 * new name here and leave the old ones in place for as long as keys are remembered.
 */
export interface Algorithms {
  readonly current: string;
  readonly known: Readonly<Record<string, Algorithm>>;
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : a > b ? 1 : 0);

const mediaType = (contentType: string): string => (contentType.split(';', 1)[0] as string).trim().toLowerCase();

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');

/**
 * Method, route and its parameters, query sorted by name (the values of one name keep their order), media type, and the
 * body: canonicalised by RFC 8785 where it is JSON and nothing is lost by parsing it, of that the selected fields; any
 * other body by its bytes.
 */
const f1: Algorithm = (request, rules) => {
  const type = mediaType(request.contentType);
  const canonical = isJson(type) ? canonicalJson(request.body) : undefined;
  const hasRules = writeRules(rules) !== '';
  const parameters = Object.entries(request.parameters).sort(byName);
  const query = [...request.query].sort(byName);
  return digest([
    request.method,
    request.route,
    String(parameters.length),
    ...parameters.flat(),
    String(query.length),
    ...query.flat(),
    type,
    canonical === undefined ? 'bytes' : hasRules ? 'fields' : 'json',
    canonical === undefined ? request.body : hasRules ? selectFields(canonical, rules) : canonical,
  ]);
};

export const ALGORITHMS: Algorithms = { current: 'f1', known: { f1 } };

const written = (name: string, rules: string, fingerprint: string): Fingerprint =>
  `${name}${rules}:${fingerprint}` as Fingerprint;

/** Fingerprints a request by the current algorithm, and says by which rules it did. */
export function fingerprintOf(
  request: RequestIdentity,
  rules: FieldRules = {},
  { current, known }: Algorithms = ALGORITHMS,
): Fingerprint {
  // The current algorithm is one of the known ones.
  return written(current, writeRules(rules), (known[current] as Algorithm)(request, rules));
}

const STORED = /^([a-z]+\d+)(\{.*\})?:[\w-]+$/s;

/** Whether a stored fingerprint is a request's. `incomparable`: it was made by an algorithm that this code lacks. */
export type Comparison = 'same' | 'another' | 'incomparable';

/**
 * Compares a request with a stored fingerprint by the algorithm and the rules that the fingerprint itself names, so that
 * a deployment that changes either never makes another request of a rightful retry. What is no fingerprint matches none.
 */
export function compare(stored: unknown, request: RequestIdentity, { known }: Algorithms = ALGORITHMS): Comparison {
  const [, name, text = ''] = (typeof stored === 'string' && STORED.exec(stored)) || [];
  if (name === undefined) return 'another';
  const algorithm = Object.hasOwn(known, name) ? known[name] : undefined;
  const rules = readRules(text);
  if (algorithm === undefined || rules === undefined) return 'incomparable';
  const targets = [request, ...(request.formerTargets ?? [])];
  const isSame = targets.some(({ route, parameters }) => {
    return written(name, text, algorithm({ ...request, route, parameters }, rules)) === stored;
  });
  return isSame ? 'same' : 'another';
}
