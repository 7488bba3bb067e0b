import { request } from 'node:http';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf, type RunningFixture, startFixture } from './support.ts';

let local: RunningFixture;
beforeAll(async () => {
  local = await startFixture();
});
afterAll(() => local.stop());

/** Sends what fetch would put right first. */
function raw(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = new URL(local.url);
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers }));
    })
      .on('error', reject)
      .end();
  });
}

const claimsOf = async (token: string) => {
  const response = await fetch(`${local.url}/echo`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, claims: (await bodyOf(response)).event?.requestContext.authorizer.jwt.claims };
};

describe('a route with an authorizer', () => {
  it('tells the function who calls', async () => {
    const { claims } = await claimsOf(await local.token('sub=alice'));
    expect(claims).toMatchObject({ sub: 'alice', client_id: 'Client', aud: 'Client' });
    expect(claims.exp).toMatch(/^\d+$/);
    expect(claims).not.toHaveProperty('custom:tenant');
  });

  it("names the tenant in the claim that the template's function reads", async () => {
    const { claims } = await claimsOf(await local.token('sub=alice&tenant=shop-1'));
    expect(claims).toMatchObject({ sub: 'alice', 'custom:tenant': 'shop-1' });
  });

  it('takes a token without the word Bearer', async () => {
    const authorization = await local.token();
    expect((await fetch(`${local.url}/echo`, { method: 'POST', headers: { authorization } })).status).toBe(200);
  });

  it.each([
    ['no header', undefined],
    ['nonsense', 'Bearer nonsense'],
    ['an empty token', 'Bearer '],
    ['an unsigned token', `Bearer ${btoa('{"alg":"none"}')}.${btoa('{"sub":"alice"}')}.`],
  ])('refuses %s with 401', async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await fetch(`${local.url}/echo`, { method: 'POST', headers });
    expect(response.status).toBe(401);
    expect(await bodyOf(response)).toEqual({ message: 'Unauthorized' });
  });

  it("refuses another issuer's signature with 401", async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const forged = await new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg: 'RS256', kid: 'local' })
      .setIssuer('https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Pool')
      .setAudience('Client')
      .setExpirationTime('1h')
      .sign(privateKey);
    expect((await claimsOf(forged)).status).toBe(401);
  });

  it('refuses a token that was tampered with', async () => {
    const [head, , signature] = (await local.token()).split('.');
    const payload = Buffer.from('{"sub":"bob"}').toString('base64url');
    expect((await claimsOf(`${head}.${payload}.${signature}`)).status).toBe(401);
  });

  it('asks for a scope where the route does', async () => {
    const scoped = await local.call('/scoped');
    expect((await bodyOf(scoped)).event.requestContext.authorizer.jwt.scopes).toEqual(['echo/read']);
  });

  it('needs a subject to issue a token for', async () => {
    expect((await fetch(`${local.url}/local/token`)).status).toBe(400);
  });

  it('publishes its keys', async () => {
    const { keys } = await bodyOf(await fetch(`${local.url}/local/jwks.json`));
    expect(keys).toMatchObject([{ kty: 'RSA', kid: 'local', alg: 'RS256' }]);
    expect(keys[0]).not.toHaveProperty('d');
  });
});

describe('the gateway', () => {
  it.each(['/nothing', '/echo/', '/items/a/b', '/local/nothing'])('answers 404 for %s', async (path) => {
    expect((await fetch(`${local.url}${path}`)).status).toBe(404);
  });

  it('answers 404 where the path is known and the method is not', async () => {
    const response = await fetch(`${local.url}/echo`);
    expect(response.status).toBe(404);
    expect(await bodyOf(response)).toEqual({ message: 'Not Found' });
  });

  it('decodes the path once, before it looks for a route', async () => {
    const { event } = await bodyOf(await local.call('/keys/a%2Fb%2525%3F'));
    expect(event).toMatchObject({
      rawPath: '/keys/a/b%25?',
      pathParameters: { key: 'a/b%25?' },
      routeKey: 'GET /keys/{key+}',
    });
  });

  it.each(['/items/%', '/items/%zz', '/items/%ff'])('answers 400 for the malformed path %s', async (path) => {
    expect((await raw(path)).status).toBe(400);
  });

  it('answers 431 for headers beyond what it reads', async () => {
    expect((await raw('/items/1', { 'x-large': 'x'.repeat(20_000) })).status).toBe(431);
  });

  it('answers 413 for a body over 10 MB', async () => {
    const response = await local.call('/echo', { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024 + 1) });
    expect(response.status).toBe(413);
    expect(await bodyOf(response)).toEqual({ message: 'Request Entity Too Large' });
  });

  it('answers 413 for an event that is larger than Lambda takes', async () => {
    const headers = { 'content-type': 'text/plain' };
    const response = await local.call('/echo', { method: 'POST', headers, body: 'x'.repeat(6 * 1024 * 1024) });
    expect(response.status).toBe(413);
  });

  it('hands a large body on unchanged', async () => {
    const body = 'ä'.repeat(1024 * 1024);
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const answer = await bodyOf(await local.call('/echo', { method: 'POST', headers, body }));
    expect(answer.event.body === body).toBe(true);
  });

  it('gives every request an id, which the function sees', async () => {
    const response = await local.call('/open');
    expect((await bodyOf(response)).event.requestContext.requestId).toBe(response.headers.get('apigw-requestid'));
  });

  it('sends cookies as headers of their own', async () => {
    const body = JSON.stringify({ statusCode: 200, cookies: ['a=1', 'b=2'] });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${local.url}/open?do=reply`, { method: 'POST', headers, body });
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });
});

describe('CORS of the template', () => {
  const origin = 'https://shop.example';

  it('answers a preflight without a token', async () => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const response = await raw('/echo', headers, 'OPTIONS');
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': 'Idempotency-Key,Content-Type,Authorization',
      'access-control-max-age': '3600',
    });
  });

  it.each([
    ['/items/1', 200],
    ['/nothing', 404],
    ['/scoped', 401],
    ['/items/%', 400],
    ['/open?do=throw', 500],
  ])('is on the answer to %s (%i)', async (path, status) => {
    const response = await raw(path, { origin });
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'Location,Retry-After',
      vary: 'Origin',
    });
  });

  it("takes the place of the function's own", async () => {
    const foreign = await raw('/items/1', { origin: 'https://evil.example' });
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
    expect((await raw('/items/1')).headers).not.toHaveProperty('access-control-allow-origin');
  });
});
