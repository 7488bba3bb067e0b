import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deliveries, start } from './delivering.ts';
import { charge, INTENTS } from './direct.ts';

describe.concurrent('faults of webhooks', () => {
  it('webhook_drop: the next events never arrive, later ones do', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    await provider.fault({ fault: 'webhook_drop', times: 2 });
    await provider.post(INTENTS, charge());
    await provider.post(INTENTS, { amount: '700', currency: 'eur' });
    await sleep(1500);
    expect(receiver.types()).toEqual(['created']);
    expect(await deliveries(provider)).toMatchObject([
      { state: 'dropped', attempts: 0 },
      { state: 'dropped' },
      { state: 'delivered' },
    ]);
  });

  it('webhook_repeat: the next event arrives twice at once', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    await provider.fault({ fault: 'webhook_repeat' });
    await provider.post(INTENTS, { amount: '700', currency: 'eur' });
    await receiver.count(2);
    const [first, second] = receiver.received;
    expect(second?.event.id).toBe(first?.event.id);
    expect(second?.afterMs).toBeLessThan(500);
    await sleep(1200);
    expect(receiver.received).toHaveLength(2);
  });

  it('webhook_shuffle: the next events arrive together, the last one first', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    await provider.fault({ fault: 'webhook_shuffle', times: 3 });
    await provider.post(INTENTS, charge('pm_sim_async'));
    await sleep(1500);
    expect(receiver.received).toEqual([]);
    await receiver.count(3);
    expect(receiver.types()).toEqual(['succeeded', 'processing', 'created']);
  });

  it('webhook_shuffle of one event lets the others overtake it', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    await provider.fault({ fault: 'webhook_shuffle', ms: 500 });
    await provider.post(INTENTS, charge());
    await receiver.count(2);
    expect(receiver.types()).toEqual(['succeeded', 'created']);
  });

  it('webhook_delay: the next event arrives later', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    await provider.fault({ fault: 'webhook_delay', ms: 700 });
    await provider.post(INTENTS, charge());
    await receiver.count(2);
    expect(receiver.types()).toEqual(['succeeded', 'created']);
    expect(receiver.received[1]?.afterMs).toBeGreaterThan(500);
  });

  it('do not touch calls, and faults of calls do not touch webhooks', async ({ onTestFinished }) => {
    const { provider, receiver } = await start(onTestFinished);
    await provider.fault({ fault: 'webhook_drop' });
    await provider.fault({ fault: '429' });
    expect((await provider.post(INTENTS, charge())).status).toBe(429);
    expect((await provider.post(INTENTS, charge())).status).toBe(200);
    await receiver.count(1);
    expect(receiver.types()).toEqual(['succeeded']);
  });
});
