import { describe, expect, test } from 'vitest';
import type { OpenClaim } from '../../lib/idempotency/claim.ts';
import { paymentEffect } from '../../lib/payments/effect.ts';
import { heed } from '../../lib/payments/webhook.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import { DONE, dependencies, hear, lost } from '../support/hearing.ts';
import { DOCS, type PaymentService, paymentService } from '../support/payment-service.ts';

describe('an event about an open claim', () => {
  test('settles it by what the provider says now, and the client gets that answer', async () => {
    const s = await lost();
    expect(await hear(s)).toEqual(DONE);
    expect(await s.done('o')).toMatchObject({ settledBy: 'webhook', outcome: { result: 'performed', ref: 'pi_1' } });
    expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
    expect((await s.pay('o')).status).toBe(201);
  });

  // G4
  test('settles it as declined when that is what the provider says, whatever the event says', async () => {
    const s = await lost();
    s.bank.of('o').state = 'declined';
    expect(await hear(s)).toEqual(DONE);
    expect(await s.done('o')).toMatchObject({ outcome: { result: 'declined' } });
    expect([await s.state('o'), await s.order('o')]).toEqual(['none', undefined]);
  });

  // G2
  test('must come again while nobody can say', async () => {
    const s = await lost();
    s.bank.isDown = true;
    expect(await hear(s)).toMatchObject({ kind: 'undone' });
    expect((await s.claim('o'))?.status).toBe('unknown');
  });

  test('of an object that the provider does not show yet must come again', async () => {
    const s = await lost();
    const effect = { ...paymentEffect(s.bank, DOCS), lookup: async () => ({ kind: 'absent' }) as const };
    expect(await hear(s, {}, { effect })).toEqual({ kind: 'undone', reason: 'not found yet' });
  });

  test('must come again when too little time is left to look', async () => {
    const s = await lost();
    expect(await hear(s, {}, {}, 1_000)).toMatchObject({ kind: 'undone' });
    expect(s.bank.lookups()).toBe(0);
  });

  test('that names an object of somebody else changes nothing, and a person is told', async () => {
    const s = await lost();
    expect(await hear(s, { ref: 'pi_other' })).toEqual(DONE);
    expect((await s.claim('o'))?.status).toBe('unknown');
    expect(s.anomalies()).toEqual(['pi_other is of another operation']);
  });

  test('that waits for an operator settles it', async () => {
    const s = await lost();
    const found = (await s.claim('o')) as OpenClaim;
    const { pk, operation, dueAt } = found;
    await s.inner.write({ kind: 'quarantine', pk, operation, reason: 'too old', dueAt });
    expect(await hear(s)).toEqual(DONE);
    expect((await s.pay('o')).status).toBe(201);
  });

  // H3
  test('whose owner is still waiting for its answer: both write the same, and the owner answers with it', async () => {
    const s = paymentService();
    const answered = s.store.pause('settle');
    const reply = s.pay('o');
    await answered.reached;
    expect(await hear(s)).toEqual(DONE);
    expect((await s.done('o')).settledBy).toBe('webhook');
    answered.goOn();
    expect(await reply).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    expect([await s.state('o'), s.anomalies()]).toEqual(['succeeded queued', []]);
  });
});

describe('an event about a settled claim', () => {
  test('moves its payment on', async () => {
    const s = paymentService();
    await s.pay('o');
    expect(await hear(s)).toEqual(DONE);
    expect(await s.state('o')).toBe('succeeded queued');
    expect(s.bank.lookups()).toBe(0);
  });

  test('is done when the provider still processes it', async () => {
    const s = paymentService();
    s.bank.begins = 'processing';
    await s.pay('o');
    expect(await hear(s)).toEqual(DONE);
    expect(await s.state('o')).toBe('processing none');
  });

  // H10
  test('must come again when the queue did not take the job', async () => {
    const s = paymentService();
    await s.pay('o');
    s.queue.trouble = 'down';
    expect(await hear(s)).toMatchObject({ kind: 'undone' });
    s.queue.trouble = 'none';
    expect(await hear(s)).toEqual(DONE);
  });

  test('about another object than the one that was settled is an anomaly', async () => {
    const s = paymentService();
    await s.pay('o');
    await hear(s, { ref: 'pi_2' });
    expect(s.anomalies()).toEqual(['settled with pi_1, and the provider also speaks of pi_2']);
  });

  test('that was declined is done, without asking anybody', async () => {
    const s = paymentService();
    s.bank.begins = 'declined';
    expect((await s.pay('o')).status).toBe(402);
    expect(await hear(s, { isSuccess: false })).toEqual(DONE);
    expect(s.bank.lookups()).toBe(0);
  });
});

describe('an event that leads nowhere', () => {
  test('because the claim and the payment are unknown is foreign', async () => {
    const s = await lost();
    expect(await hear(s, { claim: 'elsewhere', operation: 'op-elsewhere' })).toEqual({ kind: 'foreign' });
    expect((await s.claim('o'))?.status).toBe('unknown');
  });

  test('because the claim is of another generation is foreign, and leaves that claim alone', async () => {
    const s = await lost();
    expect(await hear(s, { operation: 'op-before' })).toEqual({ kind: 'foreign' });
    expect((await s.claim('o'))?.status).toBe('unknown');
  });

  test('but for its payment, whose claim is forgotten, moves the payment on', async () => {
    const s = paymentService();
    s.bank.begins = 'processing';
    await s.pay('o');
    s.bank.of('o').state = 'succeeded';
    expect(await hear(s, { claim: 'forgotten' })).toEqual(DONE);
    expect(await s.state('o')).toBe('succeeded queued');
  });

  test('because the claim has not passed its gate is done, and leaves it alone', async () => {
    const s = paymentService();
    const gate = s.store.pause('gate');
    void s.pay('o');
    await gate.reached;
    const call = await onlyClaim(s);
    const end = await heed(
      dependencies(s),
      { claim: call.pk, operation: call.operation, ref: 'pi_1', isSuccess: true },
      budgetOf(s.ambient, 20_000),
    );
    expect(end).toEqual(DONE);
    expect((await s.inner.read(call.pk))?.status).toBe('claimed');
  });

  test('because newer code wrote the claim must come again', async () => {
    const s = await lost();
    const store = { ...s.inner, read: async (pk: string) => ({ status: 'newer', v: 2, pk }) as const };
    await expect(hear(s, {}, { store })).rejects.toThrow('schema version 2');
  });
});

async function onlyClaim(s: PaymentService) {
  const until = (s.ambient.now() + 60_000) as ReturnType<typeof s.ambient.now>;
  const pages = await Promise.all(Array.from({ length: s.inner.shards }, (_, shard) => s.inner.due(shard, until, 10)));
  const [entry] = pages.flatMap(({ due }) => due);
  const found = entry?.kind === 'claim' ? await s.inner.read(entry.pk) : undefined;
  if (found?.status !== 'claimed') throw new Error('There is no claim before its gate.');
  return found;
}
