import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { problemErrors } from '../../lib/middy/problem-errors.ts';
import { type EventParts, invoke } from '../support/events.ts';
import { fakeEffect, performed } from '../support/fake-effect.ts';
import { DOCS, type ServiceOptions, service } from '../support/service.ts';

const [SHOP, OTHER] = ['https://shop.example.com', 'https://other.example.com'];
const CORS: ServiceOptions = {
  cors: { origins: [SHOP, OTHER], credentials: true },
  headers: { 'Strict-Transport-Security': 'max-age=1' },
};
const KEY: EventParts = { key: 'k', body: '{}', headers: { origin: SHOP } };
const from = (origin: string): EventParts => ({ ...KEY, headers: { origin } });

const readable = {
  'access-control-allow-origin': SHOP,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': expect.stringContaining('idempotency-replayed'),
  vary: 'Origin',
  'strict-transport-security': 'max-age=1',
};

describe('what is said afresh is on every answer', () => {
  // E6
  test.each<[string, ServiceOptions, EventParts[], number]>([
    ['the first', {}, [KEY], 201],
    ['a replay', {}, [KEY, KEY], 201],
    ['a key that is missing', {}, [{ headers: { origin: SHOP } }], 400],
    ['a key that is used for another request', {}, [KEY, { ...KEY, body: '[]' }], 422],
    ['a caller that nobody verified', {}, [{ ...KEY, claims: null }], 401],
    ['a request whose key is ignored', {}, [{ ...KEY, method: 'GET' }], 201],
    ['a request without a key where none is needed', { required: false }, [{ headers: { origin: SHOP } }], 201],
    ['an effect’s', { effect: fakeEffect({ perform: [performed] }) }, [KEY], 201],
  ])('%s', async (_, options, requests, status) => {
    const perform =
      options.effect &&
      (async (__: unknown, context: { operation: { perform(c: object): unknown } }) => context.operation.perform({}));
    const s = service({ ...CORS, ...options }, perform as Parameters<typeof service>[1]);
    let reply = await invoke(s.handler, requests[0] as EventParts);
    for (const next of requests.slice(1)) reply = await invoke(s.handler, next);
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject(readable);
  });

  // E6
  test('a conflict with a request that is still running', async () => {
    const done = Promise.withResolvers<object>();
    const s = service(CORS, () => done.promise);
    const first = invoke(s.handler, KEY);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const reply = await invoke(s.handler, KEY);
    expect([reply.status, reply.headers]).toEqual([409, expect.objectContaining(readable)]);
    done.resolve({ statusCode: 201, headers: { Vary: 'Accept', 'Access-Control-Allow-Origin': '*' } });
    expect((await first).headers).toMatchObject({ ...readable, vary: 'Accept, Origin' });
  });

  // E6
  test('a failure, and a store that is down', async () => {
    const s = service({ ...CORS, on5xx: 'store' }, async () => {
      throw new Error('failed');
    });
    expect((await invoke(s.handler, KEY)).headers).toMatchObject(readable);
    s.store.fail('claim');
    const down = await invoke(s.handler, { ...KEY, key: 'k2' });
    expect([down.status, down.headers]).toEqual([503, expect.objectContaining(readable)]);
  });

  test('an error that becomes a problem', async () => {
    const handler = middy<APIGatewayProxyEventV2>()
      .use(problemErrors({ docsBase: DOCS, onUnexpected: () => {}, ...(CORS as object) }))
      .handler(() => {
        throw new Error('failed');
      });
    expect((await invoke(handler, KEY)).headers).toMatchObject(readable);
  });
});

describe('what is said afresh', () => {
  // E6
  test('is said to whom it concerns: a replay has the permission of its own reader', async () => {
    const s = service(CORS);
    await invoke(s.handler, from(SHOP));
    const replay = await invoke(s.handler, from(OTHER));
    expect(replay.headers).toMatchObject({ 'idempotency-replayed': 'true', 'access-control-allow-origin': OTHER });
    const stranger = await invoke(s.handler, from('https://evil.example'));
    expect(stranger.headers).not.toHaveProperty('access-control-allow-origin');
  });

  // E2, E6
  test('is not stored: later answers know nothing of it', async () => {
    const s = service(CORS);
    await invoke(s.handler, KEY);
    const plain = service({ store: s.store, ambient: s.ambient });
    const { headers } = await invoke(plain.handler, KEY);
    expect(headers).toEqual({ 'content-type': 'application/json', 'idempotency-replayed': 'true' });
  });

  // D6
  test('answers a preflight, which needs no key and no caller, and runs nothing', async () => {
    const s = service(CORS);
    const headers = { origin: SHOP, 'access-control-request-method': 'POST' };
    const reply = await invoke(s.handler, { method: 'OPTIONS', headers, claims: null });
    expect([reply.status, reply.body]).toEqual([204, '']);
    expect(reply.headers).toMatchObject({
      ...readable,
      'access-control-allow-headers': 'Idempotency-Key, Content-Type, Authorization',
    });
    expect([s.runs(), s.store.calls]).toEqual([0, []]);
  });
});
