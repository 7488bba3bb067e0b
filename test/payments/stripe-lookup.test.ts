import { describe, expect, it } from 'vitest';
import { epochMs } from '../../lib/idempotency/time.ts';
import { adapter, newCall, now, simulated } from './stripe-call.ts';
import { answer, failure, intentOf, scripted } from './stripe-script.ts';

const page = (data: readonly unknown[], has_more = false) => answer(200, { object: 'list', data, has_more });

describe('a look-up', () => {
  it('finds a payment whose answer was lost, with the outcome that the answer would have had', async () => {
    const { stripe, charges } = await simulated();
    const call = newCall({ paymentMethod: 'pm_sim_drop' });
    expect(await stripe.perform(call)).toMatchObject({ kind: 'unknown' });
    const found = await stripe.lookup(call);
    expect(found).toMatchObject({ outcome: { result: 'performed', detail: { status: 'succeeded' } } });
    expect(await stripe.perform(call)).toEqual(found);
    expect(await charges(call.operation)).toBe(1);
  });

  it('finds a payment behind a stored 500', async () => {
    const { stripe } = await simulated();
    const call = newCall({ paymentMethod: 'pm_sim_500_after' });
    expect(await stripe.perform(call)).toMatchObject({ kind: 'unknown' });
    expect(await stripe.perform(call)).toMatchObject({ kind: 'used-up' });
    expect(await stripe.lookup(call)).toMatchObject({ outcome: { result: 'performed' } });
  });

  it('says absent, never failed, while the payment does not show yet', async () => {
    const { stripe } = await simulated();
    const call = newCall({ paymentMethod: 'pm_sim_lag' });
    expect(await stripe.perform(call)).toMatchObject({ kind: 'unknown' });
    expect(await stripe.lookup(call)).toEqual({ kind: 'absent' });
  });

  it('finds nothing of other operations', async () => {
    const { stripe } = await simulated();
    await stripe.perform(newCall());
    expect(await stripe.lookup(newCall())).toEqual({ kind: 'absent' });
  });

  it('is foreign when its own operation was charged for another order', async () => {
    const { stripe } = await simulated();
    const call = newCall();
    await stripe.perform(call);
    const other = { ...call, command: { ...call.command, orderId: 'other' } };
    expect(await stripe.lookup(other)).toMatchObject({ kind: 'foreign' });
  });

  it('pages through the time around the sending first, then through everything later', async () => {
    const call = newCall({}, { sentAt: epochMs(1_700_000_000_500) });
    const others = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...intentOf(newCall()), id: `pi_${i}` }));
    const { stripe, asked } = await scripted(
      [page(others(2), true), page(others(1)), page(others(3), true), page([intentOf(call)], true)],
      { skewMs: 10_000 },
    );
    expect(await stripe.lookup(call)).toMatchObject({ outcome: { result: 'performed', ref: 'pi_1' } });
    expect(asked.map(({ line }) => decodeURIComponent(line))).toEqual([
      'GET /v1/payment_intents?created[gte]=1699999990&created[lte]=1700000011&limit=100',
      'GET /v1/payment_intents?created[gte]=1699999990&created[lte]=1700000011&limit=100&starting_after=pi_1',
      'GET /v1/payment_intents?created[gt]=1700000011&limit=100',
      'GET /v1/payment_intents?created[gt]=1700000011&limit=100&starting_after=pi_2',
    ]);
  });

  it('gives up after fifty pages as unknown, never as absent', async () => {
    const endless = page([{ ...intentOf(newCall()), id: 'pi_other' }], true);
    const { stripe, asked } = await scripted(Array.from({ length: 60 }, () => endless));
    expect(await stripe.lookup(newCall())).toEqual({ kind: 'unknown', reason: 'too many payments to look through' });
    expect(asked).toHaveLength(50);
  });

  it('skips the intents that only closed a door', async () => {
    const call = newCall();
    const door = intentOf(call, { metadata: { purpose: 'close', operation: call.operation } });
    const { stripe } = await scripted([page(['?', door]), page([])]);
    expect(await stripe.lookup(call)).toEqual({ kind: 'absent' });
  });

  it.each([
    ['429', failure(429, { type: 'invalid_request_error', code: 'rate_limit' })],
    ['401', failure(401, { type: 'invalid_request_error' })],
    ['a stored 500', failure(500, { type: 'api_error' }, { 'idempotent-replayed': 'true' })],
    ['an answer that is no list', answer(200, {})],
    ['a refusal with an intent', failure(400, { type: 'invalid_request_error', payment_intent: {} })],
  ])('that meets %s is unknown', async (_, step) => {
    const { stripe } = await scripted([step]);
    expect(await stripe.lookup(newCall())).toMatchObject({ kind: 'unknown' });
  });

  it('that fails on a later page is unknown', async () => {
    const { stripe } = await scripted([page([{ id: 'pi_0' }], true), failure(500, {})]);
    expect(await stripe.lookup(newCall())).toMatchObject({ kind: 'unknown' });
  });

  it('of a known reference that is not there is unknown', async () => {
    const { stripe } = await simulated();
    expect(await stripe.lookup(newCall({}, { providerRef: 'pi_nobody' }))).toMatchObject({ kind: 'unknown' });
  });

  it('of a reference to another payment is foreign', async () => {
    const { stripe } = await simulated();
    const performed = await stripe.perform(newCall());
    const providerRef = performed.kind === 'outcome' ? String(performed.outcome.ref) : '';
    expect(await stripe.lookup(newCall({}, { providerRef }))).toMatchObject({ kind: 'foreign' });
  });

  it('works long after the key is forgotten', async () => {
    const { stripe, url } = await simulated();
    const call = newCall();
    const done = await stripe.perform(call);
    const later = adapter(url, { now: () => epochMs(now() + 30 * 24 * 3_600_000) });
    expect(await later.lookup(call)).toEqual(done);
  });
});
