import { describe, expect, it } from 'vitest';
import { epochMs } from '../../lib/idempotency/time.ts';
import { adapter, newCall, now, simulated } from './stripe-call.ts';
import { answer, failure, intentOf, REPLAYED, scripted } from './stripe-script.ts';

const HOUR_MS = 3_600_000;

describe('closing the door', () => {
  it('proves that nothing was or will be charged, and again when asked again', async () => {
    const { stripe, charges } = await simulated();
    const call = newCall();
    expect(await stripe.close(call)).toEqual({ kind: 'closed' });
    expect(await stripe.close(call)).toEqual({ kind: 'closed' });
    expect(await stripe.lookup(call)).toEqual({ kind: 'absent' });
    expect(await charges(call.operation)).toBe(0);
  });

  it('turns a charge that wakes up late into a key that is used up, never into money', async () => {
    const { stripe, charges } = await simulated();
    const call = newCall();
    await stripe.close(call);
    expect(await stripe.perform(call)).toMatchObject({ kind: 'used-up' });
    expect(await charges(call.operation)).toBe(0);
  });

  it('after the charge finds the key used up, and the look-up knows why', async () => {
    const { stripe } = await simulated();
    const call = newCall();
    const performed = await stripe.perform(call);
    expect(await stripe.close(call)).toMatchObject({ kind: 'used-up' });
    expect(await stripe.lookup(call)).toEqual(performed);
  });

  it('works for a payment that was itself refused', async () => {
    const { stripe } = await simulated();
    const call = newCall({ paymentMethod: 'pm_nobody', currency: 'XYZ' });
    expect(await stripe.perform(call)).toMatchObject({ kind: 'refused' });
    expect(await stripe.close(call)).toEqual({ kind: 'closed' });
  });

  it('while the charge is in flight is unknown', async () => {
    const { stripe } = await simulated();
    const call = newCall({ paymentMethod: 'pm_sim_slow' });
    const charging = stripe.perform(call);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await stripe.close(call)).toMatchObject({ kind: 'unknown' });
    expect(await charging).toMatchObject({ outcome: { result: 'performed' } });
  });

  it('and a charge at the same moment: exactly one of them wins, fifty times', async () => {
    const { stripe, charges } = await simulated();
    const wins = { charge: 0, door: 0 };
    for (let round = 0; round < 50; round++) {
      const call = newCall();
      const charge = () => stripe.perform(call);
      const door = () => stripe.close(call);
      const both = round % 2 === 0 ? [charge(), door()] : [door(), charge()];
      const evidence = await Promise.all(both);
      const charged = await charges(call.operation);
      const performed = evidence.filter(({ kind }) => kind === 'outcome').length;
      const closed = evidence.filter(({ kind }) => kind === 'closed').length;
      expect({ performed, closed }).toEqual({ performed: charged, closed: 1 - charged });
      expect(evidence.filter(({ kind }) => kind === 'used-up')).toHaveLength(1);
      expect((await stripe.lookup(call)).kind).toBe(charged === 1 ? 'outcome' : 'absent');
      wins[charged === 1 ? 'charge' : 'door'] += 1;
    }
    expect(wins.charge).toBeGreaterThan(0);
    expect(wins.door).toBeGreaterThan(0);
  });

  it('takes the key up with fixed parameters that charge nobody, and cancels at once', async () => {
    const call = newCall();
    const door = intentOf(call, {
      status: 'requires_payment_method',
      metadata: { purpose: 'close', operation: call.operation },
    });
    const { stripe, asked } = await scripted([answer(200, door), answer(200, { ...door, status: 'canceled' })]);
    expect(await stripe.close(call)).toEqual({ kind: 'closed' });
    expect(asked.map(({ line }) => line)).toEqual(['POST /v1/payment_intents', 'POST /v1/payment_intents/pi_1/cancel']);
    expect(asked[0]?.headers['idempotency-key']).toBe(call.key);
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      amount: '1000',
      currency: 'usd',
      'metadata[purpose]': 'close',
      'metadata[operation]': call.operation,
    });
  });

  it('does not depend on the cancellation', async () => {
    const { stripe, fault } = await simulated();
    await fault('slow', { ms: 1 });
    await fault('500_before');
    expect(await stripe.close(newCall())).toEqual({ kind: 'closed' });
  });

  it.each([
    ['used-up', failure(400, { type: 'idempotency_error' })],
    ['unknown', failure(409, { type: 'idempotency_error', code: 'idempotency_key_in_use' })],
    ['unknown', failure(400, { type: 'invalid_request_error' })],
    ['unknown', failure(400, { type: 'invalid_request_error' }, REPLAYED)],
    ['unknown', failure(402, { type: 'card_error', payment_intent: {} })],
    ['unknown', failure(500, { type: 'api_error' })],
    ['unknown', answer(200, '<html>')],
    ['unknown', answer(200, intentOf(newCall()))],
    ['used-up', failure(500, { type: 'api_error' }, REPLAYED)],
    ['not-executed', failure(401, { type: 'invalid_request_error' })],
    ['not-executed', failure(429, { type: 'invalid_request_error', code: 'rate_limit' })],
  ])('is %s on other answers', async (kind, step) => {
    const { stripe } = await scripted([step]);
    expect(await stripe.close(newCall())).toMatchObject({ kind });
  });

  it('of another operation is no proof', async () => {
    const call = newCall();
    const other = intentOf(call, { metadata: { purpose: 'close', operation: 'other' } });
    const { stripe } = await scripted([answer(200, other)]);
    expect(await stripe.close(call)).toMatchObject({ kind: 'unknown' });
  });
});

describe('once the provider may have forgotten the key', () => {
  const atHour = (hours: number, url = 'http://127.0.0.1:1') =>
    adapter(url, { now: () => epochMs(now() + hours * HOUR_MS), marginMs: HOUR_MS });

  it('nothing is sent under it any more', async () => {
    const call = newCall();
    expect(await atHour(23.01).close(call)).toEqual({ kind: 'unknown', reason: 'the key may be forgotten' });
    expect(await atHour(23.01).perform(call)).toEqual({ kind: 'not-executed', reason: 'the key may be forgotten' });
    expect(await atHour(30).close(call)).toMatchObject({ kind: 'unknown' });
  });

  it('but until the margin it is', async () => {
    const { url } = await simulated();
    const call = newCall();
    expect(await atHour(22.9, url).close(call)).toEqual({ kind: 'closed' });
    expect(atHour(0).keyRetentionMs).toBe(24 * HOUR_MS);
  });
});
