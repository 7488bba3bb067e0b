import middy from '@middy/core';
import { describe, expect, test } from 'vitest';
import { apiEvent, type EventParts, invoke, lambdaContext, replyOf } from '../support/events.ts';
import { fakeEffect, performed, unknown } from '../support/fake-effect.ts';
import { service } from '../support/service.ts';

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
