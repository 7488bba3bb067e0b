import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../lib/idempotency/claim.ts';
import { epochMs } from '../../lib/idempotency/time.ts';
import type { PaymentCommand } from '../../lib/payments/command.ts';
import { paymentEffect } from '../../lib/payments/effect.ts';
import { lockOrder, paymentIdOf } from '../../lib/payments/records.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';

const COMMAND: PaymentCommand = { tenant: null, orderId: 'order-1', amount: 5, currency: 'UZS', paymentMethod: 'pm' };
const FACTS = { pk: 'pk', operation: 'op-1', scope: 'scope', command: COMMAND, sentAt: epochMs(1_767_225_600_000) };
const SUCCEEDED: Outcome = { result: 'performed', ref: 'pi_1', detail: { status: 'succeeded' } };
const PROCESSING: Outcome = { result: 'performed', ref: 'pi_1', detail: { status: 'processing' } };
const DECLINED: Outcome = { result: 'declined', ref: 'pi_1', detail: { code: 'insufficient_funds' } };
const NOT_PERFORMED: Outcome = { result: 'not-performed' };

const provider = scriptedProvider({});
const effect = paymentEffect(provider, 'https://docs.example.com');
const answer = (outcome: Outcome) => {
  const { status, headers, body } = effect.answer(FACTS, outcome);
  return { status, headers, json: JSON.parse(Buffer.from(body).toString()) };
};

describe("a payment's answer", () => {
  test.each([
    ['succeeded', SUCCEEDED],
    ['processing', PROCESSING],
  ])('when it is %s is a 201 that leads to it', (status, outcome) => {
    expect(answer(outcome)).toEqual({
      status: 201,
      headers: {
        'content-type': 'application/json',
        location: `/payments/${paymentIdOf('op-1')}`,
        'cache-control': 'no-store',
      },
      json: {
        id: paymentIdOf('op-1'),
        orderId: 'order-1',
        amount: 5,
        currency: 'UZS',
        status,
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    });
  });

  test.each([
    ['declined', DECLINED, 'payment-declined', 'was declined (insufficient_funds). Nothing was charged.'],
    ['declined without a word', { result: 'declined' }, 'payment-declined', 'was declined (unknown)'],
    ['not made', NOT_PERFORMED, 'payment-not-performed', 'was not made. Nothing was charged, and nothing will be'],
  ] as const)('when it was %s is a final 402 that asks for a new key', (_, outcome, code, detail) => {
    const { status, json } = answer(outcome);
    expect([status, json.code, json.retry]).toEqual([402, code, 'new-key']);
    expect(json.detail).toContain(detail);
    expect(json.instance).toBe('urn:uuid:op-1');
  });

  // G11
  test.each([SUCCEEDED, PROCESSING, DECLINED, NOT_PERFORMED])('is the same bytes on every path', (outcome) => {
    expect(effect.answer(structuredClone(FACTS), structuredClone(outcome))).toEqual(effect.answer(FACTS, outcome));
  });

  // E9
  test('names neither the payment method nor the scope', () => {
    const { body } = effect.answer(
      { ...FACTS, command: { ...COMMAND, paymentMethod: 'pm_secret' }, scope: 'hash' },
      SUCCEEDED,
    );
    expect(Buffer.from(body).toString()).not.toMatch(/pm_secret|hash/);
  });
});

describe("a payment's records", () => {
  const tables = (outcome: Outcome) =>
    effect.settle(FACTS, outcome).map((write) => `${'put' in write ? 'put' : 'remove'} ${write.table}`);

  test.each<[string, Outcome, readonly string[]]>([
    ['success: the order is paid and the payment is recorded', SUCCEEDED, ['put orders', 'put payments']],
    ['processing: the payment is recorded and the order stays locked', PROCESSING, ['put payments']],
    ['a decline: the order is free', DECLINED, ['remove orders']],
    ['no payment: the order is free', NOT_PERFORMED, ['remove orders']],
  ])('after %s', (_, outcome, writes) => {
    expect(tables(outcome)).toEqual(writes);
  });

  // G4
  test.each<[string, Outcome, readonly string[]]>([
    ['success: the order is paid, if it is free, and the payment is recorded', SUCCEEDED, ['paid', 'succeeded']],
    [
      'processing: the order is locked, if it is free, and the payment is recorded',
      PROCESSING,
      ['pending', 'processing'],
    ],
    ['a decline: nothing', DECLINED, []],
    ['no payment: nothing', NOT_PERFORMED, []],
  ])('after a late %s', (_, outcome, states) => {
    const writes = effect.late(FACTS, outcome);
    expect(writes.map((write) => ('put' in write ? (write.put['state'] ?? write.put['status']) : 'removed'))).toEqual(
      states,
    );
    expect(writes.every(({ expect: expected }) => expected === 'absent')).toBe(true);
  });

  test('name the object of the provider, where there is one', () => {
    const refOf = (outcome: Outcome) =>
      effect.settle(FACTS, outcome).map((write) => 'put' in write && write.put['providerRef']);
    expect(refOf(PROCESSING)).toEqual(['pi_1']);
    expect(refOf({ result: 'performed', detail: { status: 'processing' } })).toEqual([null]);
  });

  test('are in the due index until there is nothing left to do', () => {
    for (const outcome of [SUCCEEDED, PROCESSING]) {
      const payment = effect.settle(FACTS, outcome).find(({ table }) => table === 'payments');
      expect(payment).toMatchObject({ dueAt: FACTS.sentAt + 5_000, put: { dueAt: FACTS.sentAt + 5_000 } });
    }
  });

  test('lock the order in the gate', () => {
    expect(effect.gate(FACTS)).toEqual([lockOrder(FACTS)]);
  });
});

describe('an order that is taken', () => {
  test.each([
    ['paid', 'order-already-paid', 'no', undefined],
    ['pending', 'order-payment-pending', 'same-key', 2],
  ])('because it is %s is answered so', (state, code, retry, retryAfterSeconds) => {
    const { type, ...problem } = effect.blocked(COMMAND, [{ table: 'orders', key: 'k', record: { state } }]);
    expect([type.status, type.code, type.retry, problem.retryAfterSeconds]).toEqual([
      409,
      code,
      retry,
      retryAfterSeconds,
    ]);
    expect(problem.detail).toContain('order-1');
  });
});

test('the provider is asked as it is', async () => {
  const call = { ...FACTS, key: 'key', timeoutMs: 1 };
  await effect.perform(call);
  await effect.lookup(call);
  await effect.close?.(call);
  expect(provider.calls.map(({ method }) => method)).toEqual(['perform', 'lookup', 'close']);
  expect(effect.keyRetentionMs).toBe(provider.keyRetentionMs);
});
