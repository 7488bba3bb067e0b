import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { API_VERSION } from '../../../lib/local/provider/event.ts';
import { deliveries, SECRET, start } from './delivering.ts';
import { charge, INTENTS, startDirect } from './direct.ts';

const stripe = new Stripe('sk_test_local');

describe.concurrent('events', () => {
  it('are signed so that the official client takes them, and takes no other', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    await provider.post(INTENTS, charge(), 'k');
    await receiver.count(2);
    for (const { raw, signature } of receiver.received) {
      const event = stripe.webhooks.constructEvent(raw, signature, SECRET);
      expect(event).toMatchObject({ object: 'event', livemode: false, request: { idempotency_key: 'k' } });
      expect(event.id).toMatch(/^evt_/);
      expect(event.api_version).toBe(Stripe.API_VERSION);
      expect(Math.abs(event.created - Date.now() / 1000)).toBeLessThan(5);
      expect(() => stripe.webhooks.constructEvent(raw, signature, 'whsec_other')).toThrow();
      expect(() => stripe.webhooks.constructEvent(raw.replace('1500', '1'), signature, SECRET)).toThrow();
    }
    expect(API_VERSION).toBe(Stripe.API_VERSION);
  });

  it('tell of a charge with the intent as it was each time', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    const { body } = await provider.post(INTENTS, charge());
    await receiver.count(2);
    const intents = Object.fromEntries(receiver.received.map(({ event }) => [event.type, event.data.object]));
    expect(intents).toEqual({
      'payment_intent.created': {
        ...body,
        status: 'requires_confirmation',
        amount_received: 0,
        latest_charge: null,
      },
      'payment_intent.succeeded': body,
    });
  });

  it.for<[string, string[]]>([
    ['pm_card_chargeDeclined', ['created', 'payment_failed']],
    ['pm_sim_500_after', ['created', 'succeeded']],
    ['pm_sim_async', ['created', 'processing', 'succeeded']],
    ['pm_sim_async_fail', ['created', 'payment_failed', 'processing']],
    ['pm_card_authenticationRequired', ['created']],
  ])('of %s are %j', async ([method, types], { onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    await provider.post(INTENTS, charge(method));
    await receiver.count(types.length);
    await sleep(100);
    expect(receiver.types().sort()).toEqual(types);
  });

  it('tell why a payment failed, of every attempt, and that it was cancelled', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    const made = await provider.post(INTENTS, { amount: '700', currency: 'eur' });
    const path = `${INTENTS}/${made.body['id']}`;
    for (const _ of [1, 2]) await provider.post(`${path}/confirm`, { payment_method: 'pm_card_chargeDeclined' });
    await provider.post(path, { 'metadata[declined]': 'generic_decline' });
    await provider.post(`${path}/cancel`, {});
    await receiver.count(4);
    expect(receiver.types().sort()).toEqual(['canceled', 'created', 'payment_failed', 'payment_failed']);
    const failed = receiver.received.find(({ event }) => event.type === 'payment_intent.payment_failed');
    expect(failed?.event.data.object).toMatchObject({ last_payment_error: { decline_code: 'generic_decline' } });
  });

  it('of a payment that moved by itself name no request', async ({ onTestFinished }) => {
    const { provider } = await start(onTestFinished);
    await provider.post(INTENTS, charge('pm_sim_async'), 'k');
    await sleep(2300);
    expect((await provider.events()).map(({ request }) => request)).toMatchObject([
      { idempotency_key: 'k' },
      { idempotency_key: 'k' },
      { id: null, idempotency_key: null },
    ]);
  });

  it('are noted and go nowhere without an endpoint', async ({ onTestFinished }) => {
    const provider = await startDirect(undefined, undefined, onTestFinished);
    await provider.post(INTENTS, charge());
    await sleep(100);
    expect(await deliveries(provider)).toEqual([null, null]);
  });
});

describe.concurrent('a delivery', () => {
  const one = { amount: '700', currency: 'eur' };

  it('is repeated after 1 s and then 2 s, signed anew, until it is answered with 2xx', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    receiver.script.push(500, 302, 204);
    await provider.post(INTENTS, one);
    await receiver.count(3);
    await sleep(100);
    expect(receiver.received).toHaveLength(3);
    const [first, second, third] = receiver.received;
    expect(Math.abs((second?.afterMs ?? 0) - 1000)).toBeLessThan(400);
    expect(Math.abs((third?.afterMs ?? 0) - 3000)).toBeLessThan(600);
    expect([second?.raw, third?.raw]).toEqual([first?.raw, first?.raw]);
    expect(third?.signature).not.toBe(first?.signature);
    expect(await deliveries(provider)).toMatchObject([{ state: 'delivered', attempts: 3, lastAnswer: 204 }]);
  });

  it('that is cut off, or not answered within 10 s, is repeated', { timeout: 20_000 }, async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    receiver.script.push('drop', 'hang');
    await provider.post(INTENTS, one);
    await receiver.count(2);
    await sleep(9000);
    expect(receiver.received).toHaveLength(2);
    await receiver.count(3);
    expect(await deliveries(provider)).toMatchObject([{ attempts: 3 }]);
  });

  it('that is open when the provider ends is made by the next one', async ({ onTestFinished }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'provider-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const { provider, receiver } = await start(onTestFinished, dataDir);
    receiver.script.push(503, 'hang');
    await provider.post(INTENTS, charge());
    await receiver.count(2);
    await provider.close();
    const next = await startDirect(dataDir, { url: receiver.url, secret: SECRET }, onTestFinished);
    await receiver.count(4);
    await sleep(200);
    expect(receiver.types().sort()).toEqual(['created', 'created', 'succeeded', 'succeeded']);
    expect(await deliveries(next)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  });
});
