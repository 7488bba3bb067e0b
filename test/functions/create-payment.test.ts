import { describe, expect, test } from 'vitest';
import { absent, closed, notExecuted, refused, unknown } from '../support/fake-effect.ts';
import { declinedCard, scriptedProvider, succeeded } from '../support/scripted-provider.ts';
import { GRACE_MS, LEASE_OVER_MS, PAYMENT, paymentsService, RETENTION_MS } from './payments-service.ts';

const codes = (...replies: { status: number; json: Readonly<Record<string, unknown>> }[]) =>
  replies.map(({ status, json }) => (json['code'] === undefined ? `${status}` : `${status} ${json['code']}`));

describe('a payment', () => {
  test('is charged once, and every retry gets the first answer', async () => {
    const provider = scriptedProvider({ perform: [succeeded] });
    const s = paymentsService(provider);
    const first = await s.pay();
    const again = await s.pay();
    const { paymentMethod: _, ...shown } = PAYMENT;
    expect(first.json).toMatchObject({ ...shown, status: 'succeeded' });
    expect([first.status, first.headers['location']]).toEqual([201, `/payments/${first.json['id']}`]);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect([first, again].map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true']);
    expect(provider.calls).toHaveLength(1);
  });

  test('is charged with what was asked for, under a key that is not the client’s', async () => {
    const provider = scriptedProvider({ perform: [succeeded] });
    await paymentsService(provider).pay();
    const [sent] = provider.calls;
    expect(sent?.call.command).toEqual({ tenant: null, ...PAYMENT });
    expect(sent?.call.key).not.toContain('k,');
    expect(sent?.call.key).toMatch(/^[\w-]{43}$/);
  });

  // B5
  test('that is declined stays so under its key; another card takes another key', async () => {
    const provider = scriptedProvider({ perform: [declinedCard, succeeded] });
    const s = paymentsService(provider);
    const first = await s.pay();
    expect(codes(first, await s.pay())).toEqual(['402 payment-declined', '402 payment-declined']);
    expect(first.json).toMatchObject({ declineCode: 'insufficient_funds', retry: 'new-key' });
    expect(codes(await s.pay({ paymentMethod: 'pm_other' }))).toEqual(['422 idempotency-key-reused']);
    expect(codes(await s.pay({ paymentMethod: 'pm_other' }, { key: 'k2' }))).toEqual(['201']);
    expect(provider.calls).toHaveLength(2);
  });

  test('that the provider refuses is not performed, for good', async () => {
    const s = paymentsService(scriptedProvider({ perform: [refused, succeeded], close: [closed] }));
    expect(codes(await s.pay(), await s.pay())).toEqual(['402 payment-not-performed', '402 payment-not-performed']);
    expect(codes(await s.pay({}, { key: 'k2' }))).toEqual(['201']);
  });

  test('that is still processing is a 201 with that status on every path', async () => {
    const processing = {
      kind: 'outcome',
      outcome: { result: 'performed', ref: 'pi', detail: { status: 'processing' } },
    } as const;
    const s = paymentsService(scriptedProvider({ perform: [processing] }));
    expect((await s.pay()).json['status']).toBe('processing');
    expect((await s.pay()).json['status']).toBe('processing');
  });
});

describe('a payment that cannot be accepted', () => {
  // B4
  test('consumes no key: the corrected one is charged under the same', async () => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded] }));
    expect(codes(await s.pay({ amount: -5 }), await s.pay({ amount: 5 }))).toEqual(['400 request-invalid', '201']);
  });

  test.each([
    ['text', { body: 'amount=5', headers: { 'content-type': 'text/plain' } }, '415 media-type-unsupported'],
    ['nothing', {}, '400 request-invalid'],
    // C10
    ['absurdly deep', { body: '['.repeat(200_000) }, '400 request-invalid'],
    ['broken', { body: '{' }, '400 request-invalid'],
    // C6
    ['ambiguous', { body: JSON.stringify(PAYMENT).replace('{', '{"amount":1,') }, '400 request-invalid'],
  ])('because it is %s touches neither store nor provider', async (_, parts, code) => {
    const provider = scriptedProvider({});
    const s = paymentsService(provider);
    expect(codes(await s.post(parts))).toEqual([code]);
    expect([s.store.calls, provider.calls]).toEqual([[], []]);
  });

  test('because its amount exceeds the maximum of its currency', async () => {
    const s = paymentsService(scriptedProvider({}), { maximumAmounts: { UZS: 100 } });
    expect(codes(await s.pay())).toEqual(['400 request-invalid']);
  });

  // C19
  test('because nobody asks for it', async () => {
    const s = paymentsService(scriptedProvider({}));
    expect(codes(await s.pay({}, { claims: null }))).toEqual(['401 principal-missing']);
    const tenants = paymentsService(scriptedProvider({}), { tenantClaim: 'tenant' });
    expect(codes(await tenants.pay({}, tenants.claims('alice')))).toEqual(['401 principal-missing']);
  });
});

describe('an order', () => {
  test('that is paid takes no second payment under any key, and the key stays free', async () => {
    const provider = scriptedProvider({ perform: [succeeded, succeeded] });
    const s = paymentsService(provider);
    await s.pay();
    expect(codes(await s.pay({}, { key: 'k2' }))).toEqual(['409 order-already-paid']);
    expect(codes(await s.pay({ orderId: 'order-2' }, { key: 'k2' }))).toEqual(['201']);
    expect(provider.calls).toHaveLength(2);
  });

  test('that is being paid asks the other key to wait, and is free after a decline', async () => {
    const s = paymentsService(
      scriptedProvider({
        perform: [
          async () => {
            const other = await s.pay({}, { key: 'k2' });
            expect([...codes(other), other.headers['retry-after']]).toEqual(['409 order-payment-pending', '2']);
            return declinedCard;
          },
          succeeded,
        ],
      }),
    );
    expect(codes(await s.pay(), await s.pay({}, { key: 'k2' }))).toEqual(['402 payment-declined', '201']);
  });

  // G4
  test('whose payment is in doubt takes no second payment meanwhile', async () => {
    const provider = scriptedProvider({ perform: [unknown, succeeded], lookup: [succeeded] });
    const s = paymentsService(provider);
    expect(codes(await s.pay(), await s.pay({}, { key: 'k2' }))).toEqual([
      '503 outcome-pending',
      '409 order-payment-pending',
    ]);
    await s.reconcile();
    expect(codes(await s.pay(), await s.pay({}, { key: 'k2' }))).toEqual(['201', '409 order-already-paid']);
  });

  test('is one per tenant, not one for all', async () => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded, succeeded] }), { tenantClaim: 'tenant' });
    expect(codes(await s.pay({}, s.claims('alice', 'a')), await s.pay({}, s.claims('alice', 'b')))).toEqual([
      '201',
      '201',
    ]);
    expect(codes(await s.pay({}, { ...s.claims('bob', 'a'), key: 'k9' }))).toEqual(['409 order-already-paid']);
  });
});

describe('two callers with one key', () => {
  // C19
  test('have two payments, and neither sees the other’s', async () => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded, succeeded] }));
    const alice = await s.pay();
    const bob = await s.pay({ orderId: 'order-2' }, s.claims('bob'));
    expect([alice.json['orderId'], bob.json['orderId']]).toEqual(['order-1', 'order-2']);
    expect((await s.pay({ orderId: 'order-2' }, s.claims('bob'))).body).toBe(bob.body);
  });
});

describe('a payment in doubt', () => {
  // B3
  test('is never called failed: the same key learns the outcome', async () => {
    const provider = scriptedProvider({ perform: [unknown], lookup: [unknown, succeeded] });
    const s = paymentsService(provider);
    const replies = [await s.pay(), await s.pay(), await s.pay(), await s.pay()];
    expect(codes(...replies)).toEqual(['503 outcome-pending', '409 outcome-pending', '201', '201']);
    expect(replies[1]?.headers['link']).toContain('</idempotency-keys/k>; rel="status"');
    expect(replies[2]?.body).toBe(replies[3]?.body);
    expect(provider.calls.filter(({ method }) => method === 'perform')).toHaveLength(1);
  });

  // F3, F4
  test('that is not found is sent again under the very same key', async () => {
    const provider = scriptedProvider({ perform: [unknown, succeeded], lookup: [absent] });
    const s = paymentsService(provider);
    expect(codes(await s.pay(), await s.pay())).toEqual(['503 outcome-pending', '201']);
    expect(new Set(provider.calls.map(({ call }) => call.key)).size).toBe(1);
  });

  // B9, A13
  test('whose function was killed is settled by the schedule, and its retry gets a whole answer', async () => {
    const provider = scriptedProvider({ perform: [() => new Promise(() => {})], lookup: [succeeded] });
    const s = paymentsService(provider);
    void s.pay();
    await expect.poll(() => provider.calls.length).toBe(1);
    expect(codes(await s.pay())).toEqual(['409 idempotency-key-in-progress']);
    s.ambient.advance(LEASE_OVER_MS);
    expect((await s.reconcile()).settled.performed).toBe(1);
    const reply = await s.pay();
    expect([...codes(reply), reply.json['status']]).toEqual(['201', 'succeeded']);
  });

  // G1, G7
  test('that the provider never saw is settled as not performed after the grace period, and the order is free', async () => {
    const provider = scriptedProvider({ perform: [unknown, succeeded], lookup: [absent, absent], close: [closed] });
    const s = paymentsService(provider);
    await s.pay();
    await s.reconcile();
    s.ambient.advance(GRACE_MS * 2);
    expect((await s.reconcile()).settled['not-performed']).toBe(1);
    expect(codes(await s.pay(), await s.pay({}, { key: 'k2' }))).toEqual(['402 payment-not-performed', '201']);
  });

  test('because nothing could be sent is handed off before its time is over', async () => {
    const s = paymentsService(scriptedProvider({ perform: Array.from({ length: 50 }, () => notExecuted) }));
    const start = s.ambient.now();
    expect(codes(await s.pay())).toEqual(['503 outcome-pending']);
    expect(s.ambient.now() - start).toBeLessThan(10_000);
  });
});

test('a payment queues its receipt once, however often the schedule comes by', async () => {
  const s = paymentsService(scriptedProvider({ perform: [succeeded] }));
  const paid = await s.pay();
  for (let minutes = 0; minutes < 5; minutes++) {
    s.ambient.advance(60_000);
    await s.reconcile();
  }
  expect(s.jobs.map(({ paymentId }) => paymentId)).toEqual([paid.json['id']]);
});

describe('a function of four seconds', () => {
  test('still serves', async () => {
    const s = paymentsService(scriptedProvider({ perform: [succeeded] }));
    expect(codes(await s.pay({}, {}, 4_000))).toEqual(['201']);
  });

  // A17
  test('that has hardly begun to live says that its time is short', async () => {
    const s = paymentsService(scriptedProvider({}));
    expect(codes(await s.pay({}, {}, 2_999))).toEqual(['503 not-enough-time']);
  });
});

describe('a store that is down', () => {
  // A4
  test('lets nothing be charged', async () => {
    const provider = scriptedProvider({});
    const s = paymentsService(provider);
    s.store.isDown = true;
    expect(codes(await s.pay())).toEqual(['503 store-unavailable']);
    expect(provider.calls).toEqual([]);
  });

  // A2, A25
  test.each(['failed', 'lost'] as const)('when a charge is to be written down loses nothing (%s)', async (kind) => {
    const provider = scriptedProvider({ perform: [succeeded], lookup: [succeeded] });
    const s = paymentsService(provider);
    s.store.fail('settle', kind);
    expect(codes(await s.pay(), await s.pay())).toEqual(['503 outcome-pending', '201']);
    expect(provider.calls.filter(({ method }) => method === 'perform')).toHaveLength(1);
  });
});

test('a key that has expired is a new intention with a new charge, for another order', async () => {
  const provider = scriptedProvider({ perform: [succeeded, succeeded] });
  const s = paymentsService(provider);
  await s.pay();
  s.ambient.advance(RETENTION_MS + 1_000);
  expect(codes(await s.pay(), await s.pay({ orderId: 'order-2' }))).toEqual(['409 order-already-paid', '201']);
  const [first, second] = provider.calls.map(({ call }) => call.key);
  expect(second).not.toBe(first);
});
