import { describe, expect, test } from 'vitest';
import { advancePayment, type Outbox } from '../../lib/payments/outbox.ts';
import { failed } from '../../lib/payments/payment.ts';
import { changePayment, freeOrder, lockOrder, paymentIdOf } from '../../lib/payments/records.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import { type PaymentService, paymentService } from '../support/payment-service.ts';

const HOUR_MS = 60 * 60 * 1_000;
const FIRST_LOOK_MS = 5_000;

/** The service with one payment of the order `o`, as its settlement left it. */
async function settled(state: 'processing' | 'succeeded') {
  const s = paymentService();
  s.bank.begins = state;
  await s.pay('o');
  return { ...s, outbox: outboxOf(s), advance: (remainingMs = 20_000) => advanceIn(s, remainingMs) };
}

const outboxOf = ({ store, ambient, bank, queue, events }: PaymentService): Outbox => ({
  store,
  ambient,
  provider: bank,
  receipts: queue,
  observe: (event) => events.push({ ...event }),
});

const idOf = ({ bank }: PaymentService): string => paymentIdOf(bank.of('o').call.operation);
const advanceIn = (s: PaymentService, remainingMs: number) =>
  advancePayment(outboxOf(s), idOf(s), budgetOf(s.ambient, remainingMs));

describe('a payment that succeeded at once', () => {
  test('is due for its receipt from its settlement on, whoever comes first', async () => {
    const s = await settled('succeeded');
    expect(await s.state('o')).toBe('succeeded due');
    expect(await s.dueCount()).toBe(1);
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect(await s.state('o')).toBe('succeeded queued');
    expect(await s.dueCount()).toBe(0);
    expect(s.bank.lookups()).toBe(0);
  });

  test('gets one job, which says what the receipt needs and nothing of the card', async () => {
    const s = await settled('succeeded');
    await s.advance();
    expect(s.queue.jobs).toEqual([
      {
        jobKey: `receipt:${idOf(s)}`,
        paymentId: idOf(s),
        tenant: null,
        orderId: 'o',
        amount: 500,
        currency: 'UZS',
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  test('has nothing left to do once the job is queued', async () => {
    const s = await settled('succeeded');
    await s.advance();
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect(s.queue.jobs).toHaveLength(1);
  });

  // G6
  test('that two move on at once gets jobs of one key and one state', async () => {
    const s = await settled('succeeded');
    expect(await Promise.all([s.advance(), s.advance()])).toEqual([{ kind: 'final' }, { kind: 'final' }]);
    expect(new Set(s.queue.jobs.map(({ jobKey }) => jobKey)).size).toBe(1);
    expect(s.kinds().filter((kind) => kind === 'receipt-queued')).toHaveLength(1);
  });
});

describe('a queue that fails', () => {
  test.each(['down', 'lost'] as const)('because it is %s leaves the job due, to be queued later', async (trouble) => {
    const s = await settled('succeeded');
    s.queue.trouble = trouble;
    expect(await s.advance()).toMatchObject({ kind: 'open', reason: expect.stringContaining('not queued') });
    expect([await s.state('o'), await s.dueCount()]).toEqual(['succeeded due', 1]);
    s.queue.trouble = 'none';
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect(new Set(s.queue.jobs.map(({ jobKey }) => jobKey)).size).toBe(1);
  });

  test('is tried again by the reconciler after a pause, and not before', async () => {
    const s = await settled('succeeded');
    s.queue.trouble = 'down';
    s.ambient.advance(FIRST_LOOK_MS);
    expect(await s.reconcile()).toMatchObject({ examined: 1, waiting: 1, advanced: 0 });
    s.queue.trouble = 'none';
    s.ambient.advance(FIRST_LOOK_MS - 1);
    expect(await s.reconcile()).toMatchObject({ examined: 0 });
    s.ambient.advance(1);
    expect(await s.reconcile()).toMatchObject({ examined: 1, waiting: 0, advanced: 1 });
    expect(s.queue.jobs).toHaveLength(1);
  });
});

describe('a payment that is processing', () => {
  test('keeps its order locked and is looked at again', async () => {
    const s = await settled('processing');
    expect(await s.advance()).toEqual({ kind: 'processing' });
    expect([await s.state('o'), await s.order('o'), await s.dueCount()]).toEqual(['processing none', 'pending', 1]);
  });

  test('succeeds when the provider says so: the order is paid and the receipt queued', async () => {
    const s = await settled('processing');
    s.bank.of('o').state = 'succeeded';
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect([await s.state('o'), await s.order('o'), await s.dueCount()]).toEqual(['succeeded queued', 'paid', 0]);
    expect(s.queue.jobs).toHaveLength(1);
    expect(s.anomalies()).toEqual([]);
  });

  test('fails when the provider says so: the order is free and there is no receipt', async () => {
    const s = await settled('processing');
    s.bank.of('o').state = 'declined';
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect([await s.state('o'), await s.order('o'), await s.dueCount()]).toEqual(['failed none', undefined, 0]);
    expect([s.queue.jobs, s.anomalies()]).toEqual([[], []]);
    expect((await s.pay('o', 'another card')).status).toBe(201);
  });

  // G2
  test('stays as it is while nobody can say, and is postponed twice as long each time, up to an hour', async () => {
    const s = await settled('processing');
    s.bank.isDown = true;
    const pauses: number[] = [];
    for (let look = 0; look < 12; look++) {
      expect((await s.advance()).kind).toBe('open');
      const payment = await s.payment('o');
      pauses.push((payment as { dueAt: number }).dueAt - s.ambient.now());
    }
    expect(pauses.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(pauses.at(-1)).toBe(HOUR_MS);
    expect(await s.state('o')).toBe('processing none');
    expect(s.anomalies()).toEqual([]);
  });

  test('for three weeks is told to a person, once', async () => {
    const s = await settled('processing');
    for (let look = 0; look < 514; look++) await s.advance();
    expect(s.anomalies()).toEqual(['the provider is processing it, after 512 looks']);
  });

  test('is not looked up when too little time is left', async () => {
    const s = await settled('processing');
    expect(await s.advance(1_500)).toMatchObject({ kind: 'open', reason: expect.stringContaining('too little time') });
    expect(s.bank.lookups()).toBe(0);
  });

  test('and whose object is somebody else’s is an anomaly and stays open', async () => {
    const s = await settled('processing');
    const provider = { lookup: async () => ({ kind: 'foreign', reason: 'pi_1 is of another order' }) as const };
    const end = await advancePayment({ ...s.outbox, provider }, idOf(s), budgetOf(s.ambient, 20_000));
    expect([end.kind, s.anomalies(), await s.state('o')]).toEqual([
      'open',
      ['pi_1 is of another order'],
      'processing none',
    ]);
  });

  test('is looked up by the object that the provider named, under the key of its claim', async () => {
    const s = await settled('processing');
    const asked: unknown[] = [];
    const provider = {
      lookup: async (call: unknown) => {
        asked.push(call);
        return { kind: 'absent' } as const;
      },
    };
    await advancePayment({ ...s.outbox, provider }, idOf(s), budgetOf(s.ambient, 20_000));
    const { key, pk, operation, command, sentAt, scope } = s.bank.of('o').call;
    expect(asked).toEqual([{ key, pk, operation, command, sentAt, scope, providerRef: 'pi_1', timeoutMs: 5_000 }]);
  });

  // H3, G11
  test('shows its present state while its first answer stays what it was', async () => {
    const s = await settled('processing');
    expect((await s.get('o')).json).toMatchObject({ status: 'processing' });
    s.bank.of('o').state = 'succeeded';
    await s.advance();
    expect((await s.get('o')).json).toEqual({
      id: idOf(s),
      orderId: 'o',
      amount: 500,
      currency: 'UZS',
      status: 'succeeded',
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect((await s.pay('o')).json).toMatchObject({ status: 'processing' });
  });
});

describe('a success', () => {
  // G4
  test('after a failure wins, and a person is told', async () => {
    const s = await settled('processing');
    s.bank.of('o').state = 'declined';
    await s.advance();
    s.bank.of('o').state = 'succeeded';
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
    expect(s.anomalies()).toEqual(['the payment succeeded after it had failed']);
    expect((await s.pay('o', 'second')).json).toMatchObject({ code: 'order-already-paid' });
  });

  // G4
  test('after a failure, whose order has been paid with another card meanwhile, is seen as a second payment', async () => {
    const s = await settled('processing');
    const first = s.bank.of('o');
    first.state = 'declined';
    await s.advance();
    s.bank.begins = 'succeeded';
    expect((await s.pay('o', 'another card')).status).toBe(201);
    first.state = 'succeeded';
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
    expect(s.anomalies()).toEqual([
      'the payment succeeded after it had failed',
      expect.stringContaining('it may be paid twice'),
    ]);
  });

  // G5
  test('is never overwritten by a failure that was learned before it', async () => {
    const s = await settled('processing');
    s.bank.of('o').state = 'declined';
    const paused = s.store.pause('commit');
    const stale = s.advance();
    await paused.reached;
    s.bank.of('o').state = 'succeeded';
    expect(await s.advance()).toEqual({ kind: 'final' });
    paused.goOn();
    expect(await stale).toEqual({ kind: 'final' });
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
  });

  test('of an order that is not locked any more is written all the same, and a person is told', async () => {
    const s = await settled('processing');
    const { operation, command } = s.bank.of('o').call;
    await s.inner.commit([freeOrder({ operation, command })]);
    await s.inner.commit([lockOrder({ operation: 'other', command })]);
    s.bank.of('o').state = 'succeeded';
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'pending']);
    expect(s.anomalies()).toEqual([expect.stringContaining('is not held by this payment')]);
  });
});

describe('a failure', () => {
  test('that is looked at again stays final while the provider says the same', async () => {
    const s = await settled('processing');
    s.bank.of('o').state = 'declined';
    await s.advance();
    expect(await s.advance()).toEqual({ kind: 'final' });
    expect(s.kinds().filter((kind) => kind === 'payment-failed')).toHaveLength(1);
  });

  test('that nobody can confirm is open to whoever asked, and is in no index', async () => {
    const s = await settled('processing');
    s.bank.of('o').state = 'declined';
    await s.advance();
    s.bank.isDown = true;
    expect((await s.advance()).kind).toBe('open');
    expect([await s.state('o'), await s.dueCount()]).toEqual(['failed none', 0]);
  });

  // G5
  test('that somebody else has written first is not written again', async () => {
    const s = await settled('processing');
    s.bank.of('o').state = 'declined';
    const paused = s.store.pause('commit');
    const slow = s.advance();
    await paused.reached;
    await s.advance();
    paused.goOn();
    expect(await slow).toEqual({ kind: 'final' });
    expect(s.kinds().filter((kind) => kind === 'payment-failed')).toHaveLength(1);
  });
});

test('a payment that does not exist is absent', async () => {
  const s = paymentService();
  expect(await advancePayment(outboxOf(s), 'pay_none', budgetOf(s.ambient, 20_000))).toEqual({ kind: 'absent' });
});

test('a payment that others change at every step is left to them', async () => {
  const s = await settled('processing');
  s.bank.of('o').state = 'succeeded';
  const store = {
    ...s.inner,
    commit: async () => ({ kind: 'blocked', by: [{ table: 'payments', key: idOf(s), record: undefined }] }) as const,
  };
  const end = await advancePayment({ ...s.outbox, store }, idOf(s), budgetOf(s.ambient, 20_000));
  expect(end).toEqual({ kind: 'open', reason: 'others kept changing the payment' });
});

test('an order that blocks although its payment was changed by somebody else is looked at again', async () => {
  const s = await settled('processing');
  s.bank.of('o').state = 'declined';
  const payment = await s.payment('o');
  if (payment === undefined) throw new Error('There is no payment.');
  const { operation, command } = s.bank.of('o').call;
  const paused = s.store.pause('commit');
  const slow = s.advance();
  await paused.reached;
  await s.inner.commit([freeOrder({ operation, command }), changePayment(payment, failed(payment))]);
  paused.goOn();
  expect(await slow).toEqual({ kind: 'final' });
  expect(s.anomalies()).toEqual([]);
});
