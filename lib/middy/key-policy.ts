import type { HttpRequest } from '../http/message.ts';
import { MisuseError } from '../idempotency/errors.ts';
import { type IdempotencyKey, KEY_HEADER, KEY_LENGTH_MAX, readKey } from '../idempotency/key.ts';
import { PROBLEMS, type Problem } from '../idempotency/problems.ts';

/** What a route is chosen by; its principal is not known yet. */
export type RequestOfRoute = Omit<HttpRequest, 'principal'>;

export interface KeyPolicyOptions {
  /** The header that carries the key. @default 'Idempotency-Key' */
  readonly header?: string;
  /** Methods whose keys are honoured. @default POST and PATCH */
  readonly methods?: readonly string[];
  /** Routes whose keys are honoured, for example `POST /payments/{id}/refunds`. @default all, with these methods */
  readonly routes?: readonly string[];
  /** Whether a request without a key is refused: always, by route (one that is not named needs it), or by decision. @default true */
  readonly required?: boolean | Readonly<Record<string, boolean>> | ((request: RequestOfRoute) => boolean);
  /** Fewest characters of a key; 16 or more keep guessable keys out. @default 1 */
  readonly minLength?: number;
}

/** What becomes of a request because of its key. */
export type KeyReadingOfRoute =
  /** The route does not look at keys; `wasSent` tells whether the client believes that it does. */
  | { readonly kind: 'not-honoured'; readonly wasSent: boolean }
  | { readonly kind: 'key'; readonly key: IdempotencyKey }
  /** None, where none is needed. */
  | { readonly kind: 'unprotected' }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** A token of RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

/** RFC 9110, section 9.2.1: these promise to change nothing, so a key has nothing to protect. */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

function check(header: string, methods: readonly string[], minLength: number): void {
  if (!HEADER_NAME.test(header)) throw new MisuseError(`header: ${JSON.stringify(header)} cannot be a header's name.`);
  const safe = methods.find((method) => SAFE_METHODS.includes(method));
  if (safe !== undefined)
    throw new MisuseError(`methods: ${safe} is safe by definition, so keys have no meaning there. Leave it out.`);
  if (!Number.isInteger(minLength) || minLength < 1 || minLength > KEY_LENGTH_MAX)
    throw new MisuseError(
      `minLength: ${minLength} is no length of a key. Give a whole number from 1 to ${KEY_LENGTH_MAX}.`,
    );
}

/** `POST /payments` at every door: where the path is the route, the method is put before it. */
const routeName = ({ method, route }: RequestOfRoute): string => (route.startsWith('/') ? `${method} ${route}` : route);

/** What the routes of one middleware ask of keys. */
export function keyPolicyOf(options: KeyPolicyOptions) {
  const { header = KEY_HEADER, routes, required = true, minLength = 1 } = options;
  const methods = (options.methods ?? ['POST', 'PATCH']).map((method) => method.toUpperCase());
  check(header, methods, minLength);

  const isHonoured = (request: RequestOfRoute): boolean =>
    methods.includes(request.method) && (routes === undefined || routes.includes(routeName(request)));
  const isRequired = (request: RequestOfRoute): boolean => {
    if (typeof required === 'boolean') return required;
    if (typeof required === 'function') return required(request);
    const name = routeName(request);
    return Object.hasOwn(required, name) ? required[name] === true : true;
  };

  return {
    header,
    read(request: RequestOfRoute): KeyReadingOfRoute {
      const lines = request.header(header);
      if (!isHonoured(request)) return { kind: 'not-honoured', wasSent: lines.length > 0 };
      const reading = readKey(lines, { minLength });
      if (reading.kind === 'key') return reading;
      if (reading.kind === 'invalid') return { kind: 'refused', problem: invalidKey(header, reading.reason) };
      return isRequired(request) ? { kind: 'refused', problem: missingKey(header) } : { kind: 'unprotected' };
    },
  };
}

const missingKey = (header: string): Problem => ({
  type: PROBLEMS.keyMissing,
  detail: `Send an ${header} header: one key for each intention, kept for every retry.`,
});

const invalidKey = (header: string, reason: string): Problem => ({
  type: PROBLEMS.keyInvalid,
  detail: `The ${header} header cannot be used: ${reason}.`,
});
