import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createAuthorize } from '../../lib/local/gateway/authorize.ts';

const ISSUER = 'https://issuer.example';
const authorizer = { id: 'Authorizer', issuer: ISSUER, audience: ['payments', 'refunds'] };
const rsa = await generateKeyPair('RS256');
const elliptic = await generateKeyPair('ES256');
const keys = createLocalJWKSet({
  keys: [
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa' },
    { ...(await exportJWK(elliptic.publicKey)), kid: 'elliptic' },
  ],
});
const authorize = createAuthorize([authorizer], keys);

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const GOOD = { sub: 'alice', iss: ISSUER, aud: 'payments', exp: inSeconds(60) };

async function outcomeOf(claims: JWTPayload, scopes: string[] = [], key = { alg: 'RS256', kid: 'rsa' }) {
  const { privateKey } = key.kid === 'rsa' ? rsa : elliptic;
  const token = await new SignJWT(claims).setProtectedHeader(key).sign(privateKey);
  const route = { routeKey: 'GET /', functionId: 'f', authorizerId: 'Authorizer', scopes, integrationTimeoutMs: 1 };
  const authorization = await authorize(route, `Bearer ${token}`);
  return authorization.kind === 'refused' ? authorization.reply.status : authorization.kind;
}

const without = (name: keyof typeof GOOD) => ({ ...GOOD, [name]: undefined });

describe('the JWT authorizer', () => {
  it.each<[string, JWTPayload]>([
    ['its audience', GOOD],
    ['one of several audiences', { ...GOOD, aud: ['others', 'refunds'] }],
    ['a client id in place of an audience', { ...without('aud'), client_id: 'payments' }],
  ])('lets a token with %s in', async (_, claims) => {
    expect(await outcomeOf(claims)).toBe('authorized');
  });

  it.each<[string, JWTPayload]>([
    ['another issuer', { ...GOOD, iss: 'https://other.example' }],
    ['another audience', { ...GOOD, aud: 'others' }],
    ['another audience and a known client id', { ...GOOD, aud: 'others', client_id: 'payments' }],
    ['no audience', without('aud')],
    ['an end in the past', { ...GOOD, exp: inSeconds(-1) }],
    ['no end', without('exp')],
    ['a beginning in the future', { ...GOOD, nbf: inSeconds(60) }],
  ])('refuses a token with %s', async (_, claims) => {
    expect(await outcomeOf(claims)).toBe(401);
  });

  it('refuses elliptic signatures, which HTTP APIs do not know', async () => {
    expect(await outcomeOf(GOOD, [], { alg: 'ES256', kid: 'elliptic' })).toBe(401);
  });

  it("answers 403 to a token without any of the route's scopes", async () => {
    expect(await outcomeOf({ ...GOOD, scope: 'a b' }, ['c'])).toBe(403);
    expect(await outcomeOf(GOOD, ['c'])).toBe(403);
    expect(await outcomeOf({ ...GOOD, scope: 'a b' }, ['c', 'b'])).toBe('authorized');
    expect(await outcomeOf({ ...GOOD, scp: ['a', 'b'] }, ['b'])).toBe('authorized');
  });
});
