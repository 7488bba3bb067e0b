import { describe, expect, test } from 'vitest';
import { invoke } from '../support/events.ts';
import { type PaidOrder, paid } from '../support/paid-order.ts';
import { LEASE_MS, paymentService } from '../support/payment-service.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('an event about a payment', () => {
  test('is worked off once', async () => {
    const s = await paid();
    expect(await s.send()).toMatchObject({ status: 200, json: { result: 'done' } });
    expect(await s.send()).toMatchObject({ status: 200, json: { result: 'already-done' } });
    expect(s.queue.jobs).toHaveLength(1);
  });

  // H3
  test('that comes before the client has its answer settles the claim', async () => {
    const s = await paid('lost');
    expect((await s.send()).status).toBe(200);
    expect((await s.done('o')).settledBy).toBe('webhook');
    expect(await s.pay('o')).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    expect(await s.state('o')).toBe('succeeded queued');
  });

  // H4
  test.each([
    [['succeeded', 'processing', 'created']],
    [['created', 'succeeded', 'processing']],
    [['processing', 'created', 'succeeded']],
    [['succeeded', 'succeeded', 'succeeded']],
  ])('in the order %j ends in the same state', async (types) => {
    const s = await paid('processing');
    s.payment.state = 'succeeded';
    for (const [n, type] of types.entries())
      expect((await s.send({ id: `evt_${n}`, type: `payment_intent.${type}` })).status).toBe(200);
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
    expect(new Set(s.queue.jobs.map(({ jobKey }) => jobKey)).size).toBe(1);
    expect(s.anomalies()).toEqual([]);
  });

  // H5
  test('that failed before it succeeded does not make it fail again, on the same intent', async () => {
    const s = await paid();
    await s.send({ id: 'evt_1' });
    expect((await s.send({ id: 'evt_2', type: 'payment_intent.payment_failed' })).status).toBe(200);
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
  });

  // H5
  test('that failed, of the first card of an order that another card has paid, changes nothing', async () => {
    const s = paymentService();
    s.bank.begins = 'declined';
    await s.pay('o', 'first');
    const first = s.bank.of('o');
    s.bank.begins = 'succeeded';
    expect((await s.pay('o', 'second')).status).toBe(201);
    const second = s.bank.payments[1] as typeof first;
    await s.deliver(second, { id: 'evt_2' });
    for (const type of ['payment_failed', 'canceled'])
      expect((await s.deliver(first, { id: `evt_${type}`, type: `payment_intent.${type}` })).status).toBe(200);
    expect(await s.order('o')).toBe('paid');
    expect(s.queue.jobs).toHaveLength(1);
    expect(s.anomalies()).toEqual([]);
  });

  // H9
  test.each([26 / 24, 20])('that comes again after %f days has no second effect', async (days) => {
    const s = await paid();
    await s.send();
    s.ambient.advance(days * DAY_MS);
    expect(await s.send()).toMatchObject({ status: 200, json: { result: 'already-done' } });
    expect(s.queue.jobs).toHaveLength(1);
  });

  // H9: beyond the dedupe's own retention, by hand
  test('that comes again after forty days is worked off again, to no effect', async () => {
    const s = await paid();
    await s.send();
    s.ambient.advance(40 * DAY_MS);
    expect(await s.send()).toMatchObject({ status: 200, json: { result: 'done' } });
    expect([s.queue.jobs.length, await s.state('o')]).toEqual([1, 'succeeded queued']);
  });
});

describe('an event whose work is not finished', () => {
  // H10, G2
  test.each<[string, (s: PaidOrder, broken: boolean) => void]>([
    ['the provider cannot say', (s, broken) => Object.assign(s.bank, { isDown: broken })],
    ['the queue is down', (s, broken) => Object.assign(s.queue, { trouble: broken ? 'down' : 'none' })],
  ])('because %s is answered 503 and worked off when it comes again', async (_, breaking) => {
    const s = await paid('lost');
    breaking(s, true);
    const reply = await s.send();
    expect([reply.status, reply.json['code'], reply.headers['retry-after']]).toEqual([503, 'webhook-unfinished', '5']);
    expect(s.events.at(-1)).toMatchObject({ kind: 'webhook-unfinished', event: 'evt_pi_1' });
    breaking(s, false);
    expect(await s.send()).toMatchObject({ status: 200, json: { result: 'done' } });
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
  });

  test('because the store is down is answered 503', async () => {
    const s = await paid();
    s.store.isDown = true;
    expect(await s.send()).toMatchObject({ status: 503, json: { code: 'store-unavailable' } });
    s.store.isDown = false;
    expect((await s.send()).status).toBe(200);
  });

  // H10
  test('because the store failed in its middle is answered 503, and the id is free for the redelivery', async () => {
    const s = await paid('lost');
    s.store.fail('settle');
    expect((await s.send()).status).toBe(503);
    expect(await s.send()).toMatchObject({ status: 200, json: { result: 'done' } });
  });

  test('because too little time is left is answered 503, and claims nothing', async () => {
    const s = await paid();
    const before = s.store.calls.length;
    const late = { ...s.webhookContext(), getRemainingTimeInMillis: () => 1_500 };
    const reply = await invoke(s.webhook, s.signed(JSON.stringify(s.eventOf(s.payment))), late);
    expect([reply.status, reply.headers['retry-after'], s.store.calls.length]).toEqual([503, '1', before]);
  });
});

describe('two deliveries of one event at once', () => {
  async function twoAtOnce() {
    const s = await paid('lost');
    const asked = s.store.pause('settle');
    const first = s.send();
    await asked.reached;
    return { s, asked, first };
  }

  // H2
  test('are worked off by one; the other must come again, and then it is done', async () => {
    const { s, asked, first } = await twoAtOnce();
    const second = await s.send();
    expect([second.status, second.json['code']]).toEqual([503, 'webhook-unfinished']);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
    asked.goOn();
    expect(await first).toMatchObject({ status: 200, json: { result: 'done' } });
    expect(await s.send()).toMatchObject({ status: 200, json: { result: 'already-done' } });
    expect(s.queue.jobs).toHaveLength(1);
  });

  // H2, H11
  test('of which the first fails after the second was told to come again lose nothing', async () => {
    const { s, asked, first } = await twoAtOnce();
    expect((await s.send()).status).toBe(503);
    s.queue.trouble = 'down';
    asked.goOn();
    expect((await first).status).toBe(503);
    s.queue.trouble = 'none';
    const again = await Promise.all([s.send(), s.send()]);
    expect(again.map(({ status }) => status).toSorted()).toEqual([200, 503]);
    expect(await s.state('o')).toBe('succeeded queued');
    expect(s.queue.jobs).toHaveLength(1);
  });

  test('and different events of one payment at once end in one state and one job key', async () => {
    const s = await paid('processing');
    s.payment.state = 'succeeded';
    const types = ['succeeded', 'processing', 'succeeded'];
    await Promise.all(types.map((type, n) => s.send({ id: `evt_${n}`, type: `payment_intent.${type}` })));
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
    expect(new Set(s.queue.jobs.map(({ jobKey }) => jobKey)).size).toBe(1);
  });

  // G6
  test('and a run of the reconciler beside them end in one state and one job key', async () => {
    const s = await paid('lost');
    s.ambient.advance(LEASE_MS);
    await Promise.all([s.send(), s.reconcile(), s.reconcile(), s.send({ id: 'evt_2' })]);
    s.ambient.advance(LEASE_MS);
    await s.reconcile();
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
    expect(new Set(s.queue.jobs.map(({ jobKey }) => jobKey)).size).toBe(1);
    expect(s.anomalies()).toEqual([]);
  });
});

// The outbox: a webhook that never comes loses nothing.
describe('without any webhook', () => {
  test.each(['settled', 'lost', 'processing'] as const)(
    'a payment that is %s gets to its end all the same',
    async (how) => {
      const s = await paid(how);
      s.payment.state = 'succeeded';
      for (let minute = 0; minute < 3; minute++) {
        s.ambient.advance(60_000);
        await s.reconcile();
      }
      expect([await s.state('o'), await s.order('o'), await s.dueCount()]).toEqual(['succeeded queued', 'paid', 0]);
      expect(s.queue.jobs).toHaveLength(1);
    },
  );
});
