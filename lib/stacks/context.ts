import type { JwtIssuer } from '../constructs/service-api.ts';

const STAGES = ['dev', 'prod'] as const;

/** What a deployment is told by `cdk.json` and by `-c name=value`. */
export interface Settings {
  readonly stage: (typeof STAGES)[number];
  readonly jwt?: JwtIssuer;
  readonly tenantClaim?: string;
  readonly corsOrigins: readonly string[];
}

/** A value of the CDK context by its name. */
export type Lookup = (name: string) => unknown;

/** The operator gave a value that cannot be meant; the message names it. */
export class ContextError extends Error {
  readonly code = 'context-invalid';

  constructor(name: string, why: string) {
    super(`Context ${name} ${why}.`);
  }
}

/**
 * Reads the context and throws `ContextError` on the first value that cannot be meant. An empty value is an unset one,
 * so that `cdk.json` can name every key:
 *
 * - `stage`: `dev` (the default; everything may be deleted with its stack) or `prod`.
 * - `jwtIssuer` and `jwtAudience` (comma list): both or neither; without them Cognito issues the tokens.
 * - `tenantClaim`: the JWT claim that names a caller's tenant; unset where callers have none.
 * - `corsOrigins`: comma list of origins, or `*` or `off` alone; unset is `*` for dev and `off` for prod.
 */
export function readContext(lookup: Lookup): Settings {
  const stage = readStage(lookup);
  const jwt = readJwt(lookup);
  const tenantClaim = readTenantClaim(lookup);
  return {
    stage,
    corsOrigins: readCorsOrigins(lookup, stage),
    ...(jwt === undefined ? {} : { jwt }),
    ...(tenantClaim === undefined ? {} : { tenantClaim }),
  };
}

function readStage(lookup: Lookup): Settings['stage'] {
  const given = read(lookup, 'stage') ?? 'dev';
  const stage = STAGES.find((known) => known === given);
  if (stage === undefined) throw new ContextError('stage', `is dev or prod, not ${quote(given)}`);
  return stage;
}

function readJwt(lookup: Lookup): JwtIssuer | undefined {
  const issuer = read(lookup, 'jwtIssuer');
  const audience = readList(lookup, 'jwtAudience');
  if (issuer === undefined && audience.length === 0) return undefined;
  if (issuer === undefined) throw new ContextError('jwtIssuer', 'is needed together with jwtAudience');
  if (audience.length === 0) throw new ContextError('jwtAudience', 'is needed together with jwtIssuer');
  const url = URL.parse(issuer);
  if (url?.protocol !== 'https:' || url.search !== '' || url.hash !== '') {
    throw new ContextError('jwtIssuer', `is an https URL without query and fragment, not ${quote(issuer)}`);
  }
  return { issuer, audience };
}

function readTenantClaim(lookup: Lookup): string | undefined {
  const claim = read(lookup, 'tenantClaim');
  if (claim === undefined || /^[!-~]+$/.test(claim)) return claim;
  throw new ContextError('tenantClaim', `is the name of a JWT claim without spaces, not ${quote(claim)}`);
}

function readCorsOrigins(lookup: Lookup, stage: Settings['stage']): readonly string[] {
  const given = readList(lookup, 'corsOrigins');
  const [first] = given;
  if (first === undefined) return stage === 'dev' ? ['*'] : [];
  if (given.length === 1 && first === 'off') return [];
  if (given.length === 1 && first === '*') return ['*'];
  const wrong = given.find((origin) => URL.parse(origin)?.origin !== origin);
  if (wrong === undefined) return given;
  throw new ContextError(
    'corsOrigins',
    `lists origins such as https://shop.example (or is * or off), not ${quote(wrong)}`,
  );
}

function readList(lookup: Lookup, name: string): readonly string[] {
  return (read(lookup, name) ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function read(lookup: Lookup, name: string): string | undefined {
  const value = lookup(name);
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new ContextError(name, `is a string, not ${quote(value)}`);
  return value;
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}
