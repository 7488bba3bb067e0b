import { describe, expect, test } from 'vitest';
import { advancePayment } from '../../lib/payments/outbox.ts';
import { failed } from '../../lib/payments/payment.ts';
import { changePayment, freeOrder, lockOrder } from '../../lib/payments/records.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import { paymentService } from '../support/payment-service.ts';
import { idOf, outboxOf, settled } from '../support/settled-payment.ts';

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
    expect((await s.pay('o', 'another-card')).status).toBe(201);
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
