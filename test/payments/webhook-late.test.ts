import { describe, expect, test } from 'vitest';
import { paymentEffect } from '../../lib/payments/effect.ts';
import { freeOrder } from '../../lib/payments/records.ts';
import { DONE, hear, lost } from '../support/hearing.ts';
import { DOCS, paymentService } from '../support/payment-service.ts';

describe('a success of a claim that was settled without one', () => {
  async function declinedThen(state: 'succeeded' | 'processing' | 'declined') {
    const s = paymentService();
    s.bank.begins = 'declined';
    await s.pay('o');
    s.bank.of('o').state = state;
    return s;
  }

  // G4
  test('is recorded and told to a person; the stored answer stays', async () => {
    const s = await declinedThen('succeeded');
    expect(await hear(s)).toEqual(DONE);
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
    expect(s.anomalies()).toEqual([expect.stringMatching(/^stored as declined .*reported as performed/)]);
    expect((await s.pay('o')).status).toBe(402);
    expect((await s.pay('o', 'second')).json).toMatchObject({ code: 'order-already-paid' });
  });

  test('that is still on its way locks its order', async () => {
    const s = await declinedThen('processing');
    expect(await hear(s)).toEqual(DONE);
    expect([await s.state('o'), await s.order('o')]).toEqual(['processing none', 'pending']);
  });

  // G4
  test('whose order was paid with another card is seen as a second payment', async () => {
    const s = await declinedThen('declined');
    s.bank.begins = 'succeeded';
    expect((await s.pay('o', 'another-card')).status).toBe(201);
    s.bank.of('o').state = 'succeeded';
    expect(await hear(s)).toEqual(DONE);
    expect(await s.state('o')).toBe('succeeded queued');
    expect(s.anomalies()).toContainEqual(expect.stringMatching(/^settled, but orders.* refused to be written$/));
  });

  test('that the provider does not confirm changes nothing', async () => {
    const s = await declinedThen('declined');
    expect(await hear(s)).toEqual(DONE);
    expect([await s.state('o'), s.anomalies()]).toEqual(['none', []]);
  });

  test.each([
    ['nobody can say', { kind: 'unknown', reason: 'time-out' }, { kind: 'undone', reason: 'time-out' }],
    ['it is not found', { kind: 'absent' }, { kind: 'undone', reason: 'not found' }],
    ['the object is of somebody else', { kind: 'foreign', reason: 'pi_1 is of another order' }, DONE],
  ] as const)('while %s', async (_, evidence, end) => {
    const s = await declinedThen('succeeded');
    const effect = { ...paymentEffect(s.bank, DOCS), lookup: async () => evidence };
    expect(await hear(s, {}, { effect })).toEqual(end);
    expect([await s.state('o'), s.anomalies().length]).toEqual(['none', evidence.kind === 'foreign' ? 1 : 0]);
  });

  test('is not looked up when too little time is left', async () => {
    const s = await declinedThen('succeeded');
    expect(await hear(s, {}, {}, 1_500)).toMatchObject({
      kind: 'undone',
      reason: expect.stringContaining('too little'),
    });
  });

  test('that could not be recorded must come again', async () => {
    const s = await declinedThen('succeeded');
    const store = { ...s.inner, record: async () => undefined };
    expect(await hear(s, {}, { store })).toEqual({ kind: 'undone', reason: 'the payment was not recorded' });
  });

  // G4
  test('whose settlement died before its records were written is recorded', async () => {
    const s = await lost();
    const { operation, command } = s.bank.of('o').call;
    // An order that was freed by hand refuses the settlement, which then goes alone: claim first, records after it.
    await s.inner.commit([freeOrder({ operation, command })]);
    s.store.fail('commit');
    await expect(hear(s)).rejects.toThrow('did not answer');
    expect([(await s.claim('o'))?.status, await s.state('o')]).toEqual(['done', 'none']);
    expect(await hear(s)).toEqual(DONE);
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
    expect(s.anomalies()).toContain('settled, and its payment was never recorded');
  });
});
