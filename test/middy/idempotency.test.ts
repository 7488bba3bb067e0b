import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { idempotency } from '../../lib/middy/idempotency.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { apiEvent, type EventParts, invoke, lambdaContext, replyOf } from '../support/events.ts';
import { fakeAmbient } from '../support/fake-ambient.ts';
import { fakeEffect, performed, unknown } from '../support/fake-effect.ts';
import { DOCS, service } from '../support/service.ts';

const KEY: EventParts = { key: 'k', body: '{"a":1}' };

describe('a request without a usable key', () => {
  // D1
  test.each([
    ['without one', undefined, 'idempotency-key-missing', 'Send an Idempotency-Key header'],
    ['with an empty one', '', 'idempotency-key-invalid', 'cannot be used: it is empty.'],
    ['with two', 'a,b', 'idempotency-key-invalid', 'it holds a comma'],
    ['with a long one', 'a'.repeat(256), 'idempotency-key-invalid', 'it has 256 characters'],
  ])('%s is refused before anything is claimed', async (_, key, code, detail) => {
    const s = service();
    const reply = await invoke(s.handler, { body: '{}', ...(key !== undefined && { key }) });
    expect([reply.status, reply.json['code'], reply.json['retry']]).toEqual([400, code, 'no']);
    expect(reply.json['detail']).toContain(detail);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect([s.runs(), s.store.calls]).toEqual([0, []]);
  });

  // D1
  test('runs unprotected where keys are optional, but a malformed key is still refused', async () => {
    const s = service({ required: false });
    const { key: _, ...keyless } = KEY;
    await invoke(s.handler, keyless);
    await invoke(s.handler, keyless);
    expect([s.runs(), s.store.calls]).toEqual([2, []]);
    expect((await invoke(s.handler, { ...KEY, key: '"' })).status).toBe(400);
  });

  // D6
  test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])('passes through with the method %s', async (method) => {
    const s = service();
    await invoke(s.handler, { ...KEY, method });
    await invoke(s.handler, { method });
    expect([s.runs(), s.store.calls]).toEqual([2, []]);
  });

  test('is refused with a method that the route has opted in', async () => {
    const s = service({ methods: ['PUT'] });
    expect((await invoke(s.handler, { method: 'PUT' })).status).toBe(400);
    expect((await invoke(s.handler, { method: 'POST' })).status).toBe(201);
  });
});

describe('a request of nobody', () => {
  // C19
  test('is refused before any claim', async () => {
    const s = service();
    const reply = await invoke(s.handler, { ...KEY, claims: null });
    expect([reply.status, reply.json['code'], s.runs()]).toEqual([401, 'principal-missing', 0]);
    expect(s.store.calls).toEqual([]);
  });
});

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
      headers: { Location: '/things/1', ETag: '"v1"', 'Set-Cookie': 's=1', 'X-Trace': 'a, b' },
      cookies: ['session=1'],
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

describe('a handler with an effect', () => {
  test('performs it once and returns its answer, which every retry gets', async () => {
    const s = service({ effect: fakeEffect({ perform: [performed] }) }, (_event, { operation }) =>
      operation.perform({ amount: 1 }),
    );
    const first = await invoke(s.handler, KEY);
    expect(first.status).toBe(201);
    expect(first.json).toMatchObject({ result: 'performed' });
    expect(await invoke(s.handler, KEY)).toMatchObject({ status: 201, body: first.body });
    expect(s.runs()).toBe(1);
  });

  test('answers with what was performed, whatever else the handler returns', async () => {
    const s = service({ effect: fakeEffect({ perform: [performed] }) }, async (_event, { operation }) => {
      void operation.perform({});
      return { statusCode: 200, body: 'something else' };
    });
    expect((await invoke(s.handler, KEY)).status).toBe(201);
  });

  // B3, A13
  test('whose outcome is open answers 503 and asks for the same key; the retry learns the outcome', async () => {
    const effect = fakeEffect({ perform: [unknown], lookup: [unknown, performed] });
    const s = service({ effect, keyStatusPath: (key) => `/keys/${key}` }, (_event, { operation }) =>
      operation.perform({}),
    );
    const first = await invoke(s.handler, KEY);
    expect([first.status, first.json['code'], first.json['retry'], first.headers['retry-after']]).toEqual([
      503,
      'outcome-pending',
      'same-key',
      '1',
    ]);
    const second = await invoke(s.handler, KEY);
    expect([second.status, second.json['code']]).toEqual([409, 'outcome-pending']);
    expect(second.headers['link']).toContain('</keys/k>; rel="status"');
    expect((await invoke(s.handler, KEY)).status).toBe(201);
    expect(s.runs()).toBe(1);
  });

  test('that decides against it answers for itself and frees the key', async () => {
    const s = service({ effect: fakeEffect({}) }, async () => ({ statusCode: 404, body: 'no such thing' }));
    expect(await invoke(s.handler, KEY)).toMatchObject({ status: 404, body: 'no such thing' });
    expect((await invoke(s.handler, KEY)).status).toBe(404);
    expect(s.runs()).toBe(2);
  });
});

describe('the order of the middlewares', () => {
  // A8
  test('that parses the body first is refused loudly', async () => {
    const s = service();
    const event = apiEvent(KEY);
    Object.assign(event, { body: { a: 1 } });
    expect(replyOf((await s.handler(event, lambdaContext())) as never).status).toBe(500);
    expect(String(s.errors[0])).toContain('Put body parsers after idempotency()');
    expect(s.store.calls).toEqual([]);
  });

  // A8
  test('that parses the body afterwards does not change the identity of the request', async () => {
    const s = service({}, async (event) => {
      Object.assign(event, { body: { processed: true }, headers: {} });
      return { statusCode: 201, body: 'x' };
    });
    await invoke(s.handler, KEY);
    expect((await invoke(s.handler, KEY)).headers['idempotency-replayed']).toBe('true');
  });

  // A6
  test('in which an earlier one throws keeps its error and touches no key', async () => {
    const s = service();
    const failing = middy<ReturnType<typeof apiEvent>>()
      .before(() => {
        throw new RangeError('not allowed');
      })
      .use(s.middleware)
      .handler(async () => ({ statusCode: 201 }));
    await expect(failing(apiEvent(KEY), lambdaContext())).rejects.toThrow(RangeError);
    expect(s.store.calls).toEqual([]);
  });
});

describe('one handler that serves many requests', () => {
  // A5, A7
  test('never mixes them up', async () => {
    const s = service({}, async (event) => {
      if (event.rawQueryString === 'fail') throw new Error('failed');
      return { statusCode: 201, body: String(event.headers['idempotency-key']) };
    });
    const keys = Array.from({ length: 20 }, (_, n) => `k-${n}`);
    const replies = await Promise.all(
      keys.map((key, n) => invoke(s.handler, { ...KEY, key, query: n % 2 ? 'fail' : '' })),
    );
    expect(replies.map(({ status }) => status)).toEqual(keys.map((_, n) => (n % 2 ? 500 : 201)));
    const again = await Promise.all(keys.map((key) => invoke(s.handler, { ...KEY, key })));
    expect(again.map(({ body }) => body)).toEqual(keys);
    expect(again.map(({ headers }) => headers['idempotency-replayed'])).toEqual(
      keys.map((_, n) => (n % 2 ? undefined : 'true')),
    );
  });
});
