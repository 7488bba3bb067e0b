import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { AuthorizerModel, RouteModel } from '../template/service-model.ts';
import { gatewayReply, type HttpReply } from './http-reply.ts';

/** What the event's `requestContext.authorizer.jwt` holds. */
export interface Authorized {
  readonly claims: Readonly<Record<string, string>>;
  readonly scopes: string[];
}

export type Authorization =
  | { readonly kind: 'open' }
  | { readonly kind: 'authorized'; readonly jwt: Authorized }
  | { readonly kind: 'refused'; readonly reply: HttpReply };

/** HTTP APIs accept RSA signatures only. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512'];

/** Checks a route's token as the JWT authorizer of an HTTP API does: signature, issuer, audience, times, scopes. */
export function createAuthorize(authorizers: readonly AuthorizerModel[], keys: JWTVerifyGetKey) {
  const byId = new Map(authorizers.map((authorizer) => [authorizer.id, authorizer]));
  return async (route: RouteModel, header: string | undefined): Promise<Authorization> => {
    if (route.authorizerId === undefined) return { kind: 'open' };
    const authorizer = byId.get(route.authorizerId);
    const claims = authorizer && (await verifiedClaims(header, authorizer, keys));
    if (!claims) return { kind: 'refused', reply: unauthorized() };
    const scopes = scopesOf(claims);
    if (route.scopes.length > 0 && !route.scopes.some((scope) => scopes.includes(scope))) {
      return { kind: 'refused', reply: gatewayReply(403, 'Forbidden') };
    }
    return { kind: 'authorized', jwt: { claims: stringClaims(claims), scopes: route.scopes.length > 0 ? scopes : [] } };
  };
}

async function verifiedClaims(
  header: string | undefined,
  { issuer, audience }: AuthorizerModel,
  keys: JWTVerifyGetKey,
): Promise<JWTPayload | undefined> {
  const token = header?.replace(/^Bearer\s+/i, '');
  if (!token) return undefined;
  try {
    const { payload } = await jwtVerify(token, keys, { issuer, algorithms: ALGORITHMS, requiredClaims: ['exp'] });
    return audiencesOf(payload).some((candidate) => audience.includes(candidate)) ? payload : undefined;
  } catch {
    return undefined;
  }
}

/** `client_id` counts only where there is no `aud`, as in Cognito's access tokens. */
function audiencesOf({ aud, client_id }: JWTPayload): string[] {
  return [aud ?? client_id ?? []].flat().map(String);
}

function scopesOf({ scope, scp }: JWTPayload): string[] {
  return [scope ?? scp ?? []].flat().flatMap((entry) => String(entry).split(' '));
}

/** The gateway hands every claim on as text. */
function stringClaims(claims: JWTPayload): Record<string, string> {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      Array.isArray(value) ? `[${value.join(' ')}]` : typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
}

function unauthorized(): HttpReply {
  return gatewayReply(401, 'Unauthorized', [['www-authenticate', 'Bearer']]);
}
