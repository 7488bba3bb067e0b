import type { Principal } from '../idempotency/scope.ts';
import type { HttpEvent } from './exchange.ts';

/**
 * Reads the caller from what the front door has verified; `undefined` when it verified none.
 * A method's parameter, so that a reader for one format fits where events of any may come.
 */
export type PrincipalReader = { read(event: HttpEvent): Principal | undefined }['read'];

export interface PrincipalOptions {
  /** The claim, or the member of a Lambda authorizer's context, that names the tenant. @default none */
  readonly tenantClaim?: string | undefined;
  /** The claim of a token that names its subject. @default 'sub' */
  readonly subjectClaim?: string | undefined;
  /** The member of a Lambda authorizer's context that names the caller. @default 'principalId' */
  readonly authorizerMember?: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null ? (value as Members) : undefined;

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Begins the subject of every caller that no token names. A token's subject that begins so is refused, and that makes
 * the scopes disjoint: nobody becomes a role, or a Lambda authorizer's caller, by having its name in a token.
 */
const KIND_MARK = '\0';

const isSubject = (value: unknown): value is string => isName(value) && !value.startsWith(KIND_MARK);

const ofKind = (kind: 'iam' | 'cognito-identity' | 'authorizer', name: unknown): string | undefined =>
  isName(name) ? `${KIND_MARK}${kind}${KIND_MARK}${name}` : undefined;

/** A configured tenant that is missing is no principal: a tenantless scope would be a shared one. */
function withTenant(
  subject: string | undefined,
  source: Members,
  tenantClaim: string | undefined,
): Principal | undefined {
  if (subject === undefined) return undefined;
  if (tenantClaim === undefined) return { subject };
  const tenant = source[tenantClaim];
  return isName(tenant) ? { tenant, subject } : undefined;
}

const contextOf = (event: HttpEvent): { readonly authorizer: Members; readonly identity: Members } => {
  // Each format types its own authorizers only, and some not at all.
  const { authorizer, identity } = event.requestContext as { authorizer?: unknown; identity?: unknown };
  return { authorizer: membersOf(authorizer) ?? {}, identity: membersOf(identity) ?? {} };
};

/** Claims that API Gateway's JWT authorizer (2.0: `jwt.claims`, 1.0: `claims`) or its Cognito authorizer has verified. */
const claimsOf = ({ jwt, claims }: Members): Members | undefined =>
  membersOf(membersOf(jwt)?.['claims']) ?? membersOf(claims);

function ofClaims(claims: Members, { subjectClaim = 'sub', tenantClaim }: PrincipalOptions): Principal | undefined {
  const subject = claims[subjectClaim];
  return isSubject(subject) ? withTenant(subject, claims, tenantClaim) : undefined;
}

/**
 * A caller whose signature was verified. All callers of a Cognito identity pool share one role and one session name, so
 * their own identity counts; of everybody else the whole ARN does, with the name of an assumed role's session.
 */
function iamSubject(iam: Members, identity: Members): string | undefined {
  const cognitoIdentity = membersOf(iam['cognitoIdentity'])?.['identityId'] ?? identity['cognitoIdentityId'];
  return (
    ofKind('cognito-identity', cognitoIdentity) ??
    ofKind('iam', iam['userArn'] ?? identity['userArn']) ??
    ofKind('iam', iam['callerId'] ?? identity['caller'])
  );
}

/**
 * The caller that the front door verified, whatever its kind: a token's subject, a Lambda authorizer's caller, or the
 * signer of a request. Nothing that a client can send is read, so a load balancer alone verifies nobody.
 */
export const verifiedPrincipal =
  (options: PrincipalOptions = {}): PrincipalReader =>
  (event) => {
    const { authorizerMember = 'principalId', tenantClaim } = options;
    const { authorizer, identity } = contextOf(event);
    const claims = claimsOf(authorizer);
    if (claims !== undefined) return ofClaims(claims, options);
    const context = membersOf(authorizer['lambda']) ?? authorizer;
    const caller = ofKind('authorizer', context[authorizerMember]);
    if (caller !== undefined) return withTenant(caller, context, tenantClaim);
    return withTenant(iamSubject(membersOf(authorizer['iam']) ?? {}, identity), {}, tenantClaim);
  };

/** Reads the principal from verified claims only: `sub`, and the tenant's claim where one is configured. */
export const jwtPrincipal =
  (tenantClaim?: string): PrincipalReader =>
  (event) => {
    const claims = claimsOf(contextOf(event).authorizer);
    return claims && ofClaims(claims, { tenantClaim });
  };
