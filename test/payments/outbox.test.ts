import { describe, expect, test } from 'vitest';
import { advancePayment } from '../../lib/payments/outbox.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import { idOf, settled } from '../support/settled-payment.ts';

const HOUR_MS = 60 * 60 * 1_000;
const FIRST_LOOK_MS = 5_000;

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
    expect((await s.pay('o', 'another-card')).status).toBe(201);
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
