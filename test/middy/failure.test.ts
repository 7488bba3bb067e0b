import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { OperationContext } from '../../lib/middy/idempotency.ts';
import { type EventParts, invoke, lambdaContext } from '../support/events.ts';
import { type FakeEffect, fakeEffect, performed } from '../support/fake-effect.ts';
import { service } from '../support/service.ts';

const KEY: EventParts = { key: 'k', body: '{"a":1}' };
const fail = (): never => {
  throw new Error('out of paper');
};

describe('a plain handler that throws', () => {
  // B2, B4
  test('frees the key, keeps its error, and may run again', async () => {
    let isBroken = true;
    const s = service({}, async () => (isBroken ? fail() : { statusCode: 201, body: 'x' }));
    const reply = await invoke(s.handler, KEY);
    expect([reply.status, reply.json['code']]).toEqual([500, 'internal-error']);
    expect(String(s.errors[0])).toContain('out of paper');
    isBroken = false;
    expect((await invoke(s.handler, KEY)).status).toBe(201);
  });

  test('on a route that keeps failures gets the same failure for every retry', async () => {
    const s = service({ on5xx: 'store' }, async () => fail());
    const first = await invoke(s.handler, KEY);
    expect([first.status, first.json['code'], first.json['retry']]).toEqual([500, 'handler-failed', 'new-key']);
    expect(await invoke(s.handler, KEY)).toMatchObject({ status: 500, body: first.body });
    expect(s.runs()).toBe(1);
  });

  test('on a route that keeps failures is open when the failure cannot be kept', async () => {
    const s = service({ on5xx: 'store' }, async () => fail());
    s.store.fail('settle');
    const reply = await invoke(s.handler, KEY);
    expect([reply.status, reply.json['code']]).toEqual([503, 'outcome-pending']);
    expect((await invoke(s.handler, KEY)).status).toBe(409);
  });

  test('with a time-out of its own is a handler that has thrown', async () => {
    const s = service({}, async () => {
      throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    });
    expect((await invoke(s.handler, KEY)).status).toBe(500);
    expect((await invoke(s.handler, KEY)).status).toBe(500);
    expect(s.runs()).toBe(2);
  });
});

describe('a plain handler that fails when its time is nearly over', () => {
  /** A service whose handler uses up its time but for one second. */
  function late(body: () => Promise<unknown>) {
    let remainingMs = 10_000;
    const s = service({ middy: { timeoutEarlyInMillis: 0 } }, async () => {
      remainingMs = 1_000;
      return body();
    });
    return {
      s,
      reply: () =>
        invoke(
          s.handler,
          KEY,
          lambdaContext(() => remainingMs),
        ),
    };
  }

  // A11: Middy's answer or error for an early time-out may be anything.
  test.each([
    ['throws', async () => fail()],
    ['returns 504', async () => ({ statusCode: 504 })],
  ])('and %s may still run: its key is not freed', async (_, body) => {
    const { s, reply } = late(body);
    expect((await reply()).json).toMatchObject({ status: 503, code: 'outcome-pending' });
    expect((await invoke(s.handler, KEY)).status).toBe(409);
    expect(s.runs()).toBe(1);
  });

  test('but succeeds is settled', async () => {
    const { s, reply } = late(async () => ({ statusCode: 201 }));
    expect((await reply()).status).toBe(201);
    expect((await invoke(s.handler, KEY)).headers['idempotency-replayed']).toBe('true');
  });
});

describe('an early time-out of Middy', () => {
  /** Fires at once, while the handler still runs. */
  const EARLY = { timeoutEarlyInMillis: 9_990 };

  // A11
  test.each([
    ['as it is', EARLY],
    ['with a 408 of its own', { ...EARLY, timeoutEarlyResponse: () => ({ statusCode: 408 }) }],
  ])('%s neither frees nor settles the key of a plain handler', async (_, plugin) => {
    const done = Promise.withResolvers<object>();
    const s = service({ middy: plugin }, () => done.promise);
    const reply = await invoke(s.handler, KEY);
    expect([reply.status, reply.json['code']]).toEqual([503, 'outcome-pending']);
    expect((await invoke(s.handler, KEY)).json['code']).toBe('idempotency-key-in-progress');
    done.resolve({ statusCode: 201 });
    expect(s.runs()).toBe(1);
  });

  test.each(['release', 'store'] as const)('is no failure, whatever happens to failures (%s)', async (on5xx) => {
    const s = service({ middy: EARLY, on5xx }, () => new Promise(() => {}));
    expect((await invoke(s.handler, KEY)).status).toBe(503);
    expect((await invoke(s.handler, KEY)).status).toBe(409);
  });

  async function duringTheCall(plugin: object) {
    const provider = Promise.withResolvers<typeof performed>();
    const effect: FakeEffect = fakeEffect({ perform: [() => provider.promise], lookup: [performed] });
    const s = service({ effect, middy: plugin }, (_event, { operation }) => operation.perform({}));
    return { s, provider, effect };
  }

  // A11
  test('while the provider is asked hands the outcome off; the charge that lands later is found', async () => {
    const { s, provider, effect } = await duringTheCall(EARLY);
    const reply = await invoke(s.handler, KEY);
    expect([reply.status, reply.json['code']]).toEqual([503, 'outcome-pending']);
    provider.resolve(performed);
    expect((await invoke(s.handler, KEY)).status).toBe(201);
    expect(effect.performs()).toBe(1);
    expect(s.errors).toMatchObject([{ name: 'TimeoutError' }]);
  });

  test('with an answer of its own waits for the effect, which ends in time by itself', async () => {
    const plugin = { ...EARLY, timeoutEarlyResponse: () => ({ statusCode: 504 }) };
    const { s, provider } = await duringTheCall(plugin);
    const reply = invoke(s.handler, KEY);
    setTimeout(() => provider.resolve(performed), 50);
    expect((await reply).status).toBe(201);
  });

  test('before the effect frees the key, and the handler that wakes up can no longer perform', async () => {
    const effect = fakeEffect({ perform: [performed] });
    const wake = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const s = service({ effect, middy: EARLY }, async (_event, { operation }) => {
      await wake.promise;
      const result = await operation.perform({});
      late.resolve(result);
      return result;
    });
    const reply = await invoke(s.handler, KEY);
    expect([reply.status, reply.json['code']]).toEqual([503, 'outcome-pending']);
    wake.resolve();
    expect(await late.promise).toMatchObject({ statusCode: 409 });
    expect(effect.performs()).toBe(0);
  });
});

describe('a handler with an effect that throws', () => {
  // B2
  test('before it has performed frees the key', async () => {
    const s = service({ effect: fakeEffect({}) }, async () => fail());
    expect((await invoke(s.handler, KEY)).status).toBe(500);
    expect((await invoke(s.handler, KEY)).status).toBe(500);
    expect(s.runs()).toBe(2);
  });

  // B1
  test('after it has performed still answers with what was performed', async () => {
    const effect = fakeEffect({ perform: [performed] });
    const s = service({ effect }, async (_event, { operation }) => {
      await operation.perform({});
      return fail();
    });
    expect((await invoke(s.handler, KEY)).status).toBe(201);
    expect((await invoke(s.handler, KEY)).status).toBe(201);
    expect([s.runs(), effect.performs()]).toEqual([1, 1]);
  });

  test('while it performs leaves the outcome open and the effect to itself', async () => {
    const provider = Promise.withResolvers<typeof performed>();
    const effect = fakeEffect({ perform: [() => provider.promise], lookup: [performed] });
    const s = service({ effect }, async (_event, { operation }) => {
      void operation.perform({});
      await expect.poll(() => effect.performs()).toBe(1);
      return fail();
    });
    const reply = await invoke(s.handler, KEY);
    expect([reply.status, reply.json['code']]).toEqual([503, 'outcome-pending']);
    provider.resolve(performed);
    expect((await invoke(s.handler, KEY)).status).toBe(201);
  });

  test('because it performed twice answers with its one effect', async () => {
    const effect = fakeEffect({ perform: [performed] });
    const s = service({ effect }, async (_event, { operation }) => {
      await operation.perform({});
      return operation.perform({});
    });
    expect((await invoke(s.handler, KEY)).status).toBe(201);
    expect(effect.performs()).toBe(1);
  });
});

describe('a later middleware that throws', () => {
  /** The middleware of a service, with another around it whose `after` fails. */
  const withFailingAfter = (s: ReturnType<typeof service>, isGated: boolean) =>
    middy<APIGatewayProxyEventV2>()
      .after(() => fail())
      .use(s.middleware)
      .handler((_event, context) =>
        // The middleware has put the operation there.
        isGated ? (context as OperationContext).operation.perform({}) : Promise.resolve({ statusCode: 201, body: 'x' }),
      );

  // B1
  test('does not undo an effect: its answer leaves', async () => {
    const s = service({ effect: fakeEffect({ perform: [performed] }) });
    const handler = withFailingAfter(s, true);
    expect((await invoke(handler, KEY)).status).toBe(201);
    expect((await invoke(handler, KEY)).status).toBe(201);
  });

  // B1
  test('does not take a durable answer back: it leaves, as it does for the retry', async () => {
    const s = service();
    const handler = withFailingAfter(s, false);
    expect(await invoke(handler, KEY)).toMatchObject({ status: 201, body: 'x' });
    expect(await invoke(handler, KEY)).toMatchObject({ status: 201, body: 'x' });
  });
});

describe('a request that was answered before its handler', () => {
  // A5
  test('frees nobody’s key, whatever is thrown afterwards', async () => {
    const s = service({}, () => new Promise(() => {}));
    void invoke(s.handler, KEY);
    await expect.poll(() => s.runs()).toBe(1);
    const before = s.store.calls.length;
    expect((await invoke(s.handler, KEY)).status).toBe(409);
    expect(s.store.calls.slice(before)).toEqual(['claim']);
    expect((await invoke(s.handler, { ...KEY, body: '{"a":2}' })).status).toBe(422);
    expect((await invoke(s.handler, KEY)).status).toBe(409);
  });

  // A4
  test('because the store is down says so and does not run', async () => {
    const s = service();
    s.store.isDown = true;
    const reply = await invoke(s.handler, KEY);
    expect([reply.status, reply.json['code'], reply.headers['retry-after']]).toEqual([503, 'store-unavailable', '2']);
    expect(s.runs()).toBe(0);
  });

  // A17
  test('because its time is short says so', async () => {
    const s = service();
    const reply = await invoke(
      s.handler,
      KEY,
      lambdaContext(() => 0),
    );
    expect([reply.status, reply.json['code'], s.runs()]).toEqual([503, 'not-enough-time', 0]);
  });
});
