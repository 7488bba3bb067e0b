import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { idempotency } from '../../lib/middy/idempotency.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { apiEvent, type EventParts, invoke, lambdaContext, replyOf } from '../support/events.ts';
import { fakeAmbient } from '../support/fake-ambient.ts';
import { DOCS, service } from '../support/service.ts';

const KEY: EventParts = { key: 'k', body: '{"a":1}' };

describe('a plain handler', () => {
  test('runs once for one request, and its answer is replayed byte for byte', async () => {
    const s = service();
    const first = await invoke(s.handler, KEY);
    const again = await invoke(s.handler, { ...KEY, body: ' { "a" : 1 } ' });
    expect(first).toMatchObject({ status: 201, body: '{"run":1}' });
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    expect(s.runs()).toBe(1);
  });

  test('runs for each principal of its own', async () => {
    const s = service();
    const [alice, bob] = [await invoke(s.handler, KEY), await invoke(s.handler, { ...KEY, claims: { sub: 'bob' } })];
    expect([alice.body, bob.body]).toEqual(['{"run":1}', '{"run":2}']);
    expect((await invoke(s.handler, KEY)).body).toBe('{"run":1}');
  });

  test('runs once for twenty duplicates at the same time', async () => {
    const s = service({}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { statusCode: 201, body: 'x' };
    });
    const replies = await Promise.all(Array.from({ length: 20 }, () => invoke(s.handler, KEY)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(s.runs()).toBe(1);
  });

  // C11, B5
  test.each<[string, EventParts]>([
    ['another body', { body: '{"a":2}' }],
    ['another route', { path: '/refunds' }],
    ['another method', { method: 'PATCH', routeKey: 'POST /payments' }],
    ['another media type', { headers: { 'content-type': 'text/plain' } }],
    ['another query', { query: 'dry=1' }],
    ['another resource', { parameters: { id: '2' } }],
  ])('does not run under a used key for %s', async (_, part) => {
    const s = service();
    await invoke(s.handler, KEY);
    const reply = await invoke(s.handler, { ...KEY, ...part });
    expect([reply.status, reply.json['code'], reply.json['retry']]).toEqual([422, 'idempotency-key-reused', 'new-key']);
    expect(
      (await invoke(service({ mismatchStatus: 409, store: s.store, ambient: s.ambient }).handler, { ...KEY, ...part }))
        .status,
    ).toBe(409);
    expect((await invoke(s.handler, KEY)).status).toBe(201);
    expect(s.runs()).toBe(1);
  });

  // C19: the quoted and the bare form
  test('knows a key by its value, quoted or bare', async () => {
    const s = service();
    await invoke(s.handler, { ...KEY, key: '"k"' });
    expect((await invoke(s.handler, KEY)).headers['idempotency-replayed']).toBe('true');
  });

  // A10
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['empty text', ''],
    ['an empty object', {}],
    ['text', 'hello'],
    ['an object', { a: 1 }],
  ])('that returns %s runs once, and the first answer is what is replayed', async (_, result) => {
    const s = service({}, async () => result);
    const first = await invoke(s.handler, KEY);
    const again = await invoke(s.handler, KEY);
    expect([again.status, again.body, again.headers['content-type']]).toEqual([
      first.status,
      first.body,
      first.headers['content-type'],
    ]);
    expect(s.runs()).toBe(1);
  });

  // E1, E2, E3, E4, E7
  test('keeps its own headers and cookies the first time; a replay has the listed ones', async () => {
    const s = service({}, async () => ({
      statusCode: 201,
      headers: {
        Location: '/things/1',
        ETag: '"v1"',
        'Set-Cookie': 's=1',
        'Idempotency-Replayed': 'true',
        'X-Trace': 'a, b',
      },
      cookies: ['session=1'],
      body: '//4=',
      isBase64Encoded: true,
    }));
    const first = await s.handler(apiEvent(KEY), lambdaContext());
    expect(first).toEqual({
      statusCode: 201,
      headers: { Location: '/things/1', ETag: '"v1"', 'X-Trace': 'a, b' },
      cookies: ['s=1', 'session=1'],
      body: '//4=',
      isBase64Encoded: true,
    });
    expect(await s.handler(apiEvent(KEY), lambdaContext())).toEqual({
      statusCode: 201,
      headers: { location: '/things/1', etag: '"v1"', 'x-trace': 'a, b', 'idempotency-replayed': 'true' },
      body: '//4=',
      isBase64Encoded: true,
    });
  });

  // E4
  test('whose result cannot be written as JSON fails and keeps nothing', async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    const s = service({}, async () => circular);
    expect((await invoke(s.handler, KEY)).status).toBe(500);
    expect((await invoke(s.handler, KEY)).status).toBe(500);
    expect(s.runs()).toBe(2);
  });

  test('needs nobody to listen to the events', async () => {
    const ambient = fakeAmbient();
    const store = memoryStore({ now: ambient.now });
    const handler = middy<APIGatewayProxyEventV2>()
      .use(idempotency({ store, ambient, docsBase: DOCS }))
      .handler(async () => ({ statusCode: 201 }));
    expect((await invoke(handler, KEY)).status).toBe(201);
    expect((await invoke(handler, KEY)).status).toBe(201);
  });

  test('finds the id of its operation, and no way to an effect that it does not have', async () => {
    let seen: unknown;
    const s = service({}, async (_event, { operation }) => {
      seen = operation.id;
      await operation.perform({});
    });
    const reply = await invoke(s.handler, KEY);
    expect(reply.status).toBe(500);
    expect(seen).toEqual(expect.any(String));
    expect(String(s.errors[0])).toContain('needs the `effect` option');
  });

  test('without a Lambda context has the time of an HTTP API', async () => {
    const s = service();
    const event = apiEvent(KEY);
    expect(replyOf((await s.handler(event, {} as never)) as never).status).toBe(201);
    expect(replyOf((await s.handler(event, {} as never)) as never).headers['idempotency-replayed']).toBe('true');
  });
});
