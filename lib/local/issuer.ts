import { createLocalJWKSet, exportJWK, generateKeyPair, type JSONWebKeySet, type JWTVerifyGetKey, SignJWT } from 'jose';
import type { AuthorizerModel } from './template/service-model.ts';

/** Long enough for a working day with one token in a terminal. */
const TOKEN_LIFETIME = '12h';

const ALGORITHM = 'RS256';

export interface TokenRequest {
  readonly sub: string;
  readonly tenant: string | undefined;
}

export interface Issuer {
  readonly jwks: JSONWebKeySet;
  readonly keys: JWTVerifyGetKey;
  token(request: TokenRequest): Promise<string>;
}

export interface IssuerOptions {
  /** The issuer that is impersonated: tokens carry its name and an audience of its. */
  readonly authorizer: AuthorizerModel | undefined;
  readonly tenantClaim: string;
  /** All that the routes ask for. */
  readonly scopes: readonly string[];
}

/** Signs tokens that the template's authorizer accepts, with a key of this run alone. */
export async function createIssuer({ authorizer, tenantClaim, scopes }: IssuerOptions): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: ALGORITHM, kid: 'local', use: 'sig' }] };
  const [audience = 'local'] = authorizer?.audience ?? [];
  return {
    jwks,
    keys: createLocalJWKSet(jwks),
    token: ({ sub, tenant }) =>
      new SignJWT({
        client_id: audience,
        ...(tenant === undefined ? {} : { [tenantClaim]: tenant }),
        ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      })
        .setProtectedHeader({ alg: ALGORITHM, kid: 'local' })
        .setSubject(sub)
        .setIssuer(authorizer?.issuer ?? 'local')
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(TOKEN_LIFETIME)
        .sign(privateKey),
  };
}
