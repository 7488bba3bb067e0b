import { describe, expect, test } from 'vitest';
import { epochMs } from '../../lib/idempotency/time.ts';
import type { PaymentCommand } from '../../lib/payments/command.ts';
import { failed, newPayment, succeeded } from '../../lib/payments/payment.ts';
import {
  changePayment,
  freeOrder,
  isPaid,
  lockOrder,
  markPaid,
  markPaidLate,
  paymentAt,
  paymentIdOf,
  recordPayment,
} from '../../lib/payments/records.ts';
import { memoryStore } from '../../lib/stores/memory.ts';

const COMMAND: PaymentCommand = { tenant: 't', orderId: 'o', amount: 1, currency: 'UZS', paymentMethod: 'pm' };
const of = (operation: string, part: Partial<PaymentCommand> = {}) => ({
  pk: 'pk',
  operation,
  scope: 'scope',
  command: { ...COMMAND, ...part },
  sentAt: epochMs(0),
});

const store = () => memoryStore({ now: () => epochMs(0) });

describe('an order', () => {
  test('takes one payment at a time', async () => {
    const { commit } = store();
    expect(await commit([lockOrder(of('1'))])).toEqual({ kind: 'applied' });
    expect(await commit([lockOrder(of('2'))])).toMatchObject({
      kind: 'blocked',
      by: [{ record: { state: 'pending' } }],
    });
  });

  test('that is free again takes another', async () => {
    const { commit } = store();
    await commit([lockOrder(of('1'))]);
    await commit([freeOrder(of('1'))]);
    expect(await commit([lockOrder(of('2'))])).toEqual({ kind: 'applied' });
  });

  test('is neither freed nor paid by a payment that does not hold it', async () => {
    const { commit } = store();
    await commit([lockOrder(of('1'))]);
    expect((await commit([freeOrder(of('2'))])).kind).toBe('blocked');
    expect((await commit([markPaid(of('2'))])).kind).toBe('blocked');
  });

  test('that is paid takes no other payment and stays paid', async () => {
    const { commit } = store();
    await commit([lockOrder(of('1'))]);
    await commit([markPaid(of('1'))]);
    const refused = await commit([lockOrder(of('2'))]);
    expect(refused.kind === 'blocked' && isPaid(refused.by)).toBe(true);
    expect((await commit([freeOrder(of('1'))])).kind).toBe('blocked');
  });

  test('that was freed is paid by a success that comes late, unless another payment holds it', async () => {
    const { commit } = store();
    expect((await commit([markPaidLate(of('1'))])).kind).toBe('applied');
    expect((await commit([markPaidLate(of('2'))])).kind).toBe('blocked');
    expect((await commit([lockOrder(of('3'))])).kind).toBe('blocked');
  });

  test('is paid only when a record says so', () => {
    expect(isPaid([{ table: 'orders', key: 'k', record: { state: 'pending' } }])).toBe(false);
    expect(isPaid([{ table: 'orders', key: 'k', record: undefined }])).toBe(false);
    expect(isPaid([])).toBe(false);
  });

  test('is unique per tenant', () => {
    const keys = [of('1'), of('1', { tenant: 'u' }), of('1', { tenant: null }), of('1', { orderId: 'p' })].map(
      (facts) => lockOrder(facts).key,
    );
    expect(new Set(keys).size).toBe(4);
    expect(lockOrder(of('2')).key).toBe(keys[0]);
  });

  test('of a tenant is not that of a tenantless order that looks alike', () => {
    const one = lockOrder(of('1', { tenant: 'a', orderId: 'b' })).key;
    expect(lockOrder(of('1', { tenant: null, orderId: 'ab' })).key).not.toBe(one);
    expect(lockOrder(of('1', { tenant: null, orderId: 'a1:b' })).key).not.toBe(one);
  });
});

describe('a payment', () => {
  test('has one id for its operation, from which nobody learns the operation', () => {
    expect(paymentIdOf('op')).toBe(paymentIdOf('op'));
    expect(paymentIdOf('op')).not.toBe(paymentIdOf('other'));
    expect(paymentIdOf('op')).toMatch(/^pay_[\w-]{43}$/);
  });

  test('is recorded once', async () => {
    const { commit, record } = store();
    const payment = newPayment(of('op'), { result: 'performed', ref: 'pi_1' });
    expect((await commit([recordPayment(payment)])).kind).toBe('applied');
    expect((await commit([recordPayment({ ...payment, amount: 2 })])).kind).toBe('blocked');
    expect(await record(paymentAt(payment.id))).toEqual(payment);
  });

  test('is changed only by whoever has seen its present state', async () => {
    const { commit, record } = store();
    const processing = newPayment(of('op'), { result: 'performed', ref: 'pi_1', detail: { status: 'processing' } });
    const done = succeeded(processing, epochMs(1));
    await commit([recordPayment(processing)]);
    expect((await commit([changePayment(processing, done)])).kind).toBe('applied');
    expect((await commit([changePayment(processing, failed(processing))])).kind).toBe('blocked');
    expect(await record(paymentAt(done.id))).toEqual(done);
  });
});
