import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { charge, INTENTS, startDirect } from './direct.ts';

const SETTLED_MS = 2300;

describe.concurrent('payments that a bank takes its time for', () => {
  it('pm_sim_async is processing at once and moves the money two seconds later', async ({ onTestFinished }) => {
    const provider = await startDirect(undefined, undefined, onTestFinished);
    const { status, body } = await provider.post(INTENTS, charge('pm_sim_async'), 'k');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'processing', amount_received: 0, latest_charge: null });
    await sleep(1000);
    expect(await provider.ledger()).toEqual([]);
    await sleep(SETTLED_MS - 1000);
    expect(await provider.ledger()).toMatchObject([{ amount: 1500, orderId: 'o-1', paymentIntent: body['id'] }]);
    const after = await provider.get(`${INTENTS}/${body['id']}`);
    expect(after.body).toMatchObject({ status: 'succeeded', amount_received: 1500 });
    expect((await provider.post(INTENTS, charge('pm_sim_async'), 'k')).body).toEqual(body);
    expect(await provider.ledger()).toHaveLength(1);
  });

  it('pm_sim_async_fail is processing at once and wants another payment method later', async ({ onTestFinished }) => {
    const provider = await startDirect(undefined, undefined, onTestFinished);
    const { body } = await provider.post(INTENTS, charge('pm_sim_async_fail'));
    expect(body).toMatchObject({ status: 'processing' });
    await sleep(SETTLED_MS);
    expect((await provider.get(`${INTENTS}/${body['id']}`)).body).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: { type: 'card_error', code: 'card_declined', payment_method: { id: 'pm_sim_async_fail' } },
    });
    expect(await provider.ledger()).toEqual([]);
  });

  it('are neither confirmed again nor cancelled while they are processing', async ({ onTestFinished }) => {
    const provider = await startDirect(undefined, undefined, onTestFinished);
    const { body } = await provider.post(INTENTS, charge('pm_sim_async'));
    for (const verb of ['confirm', 'cancel']) {
      const refused = await provider.post(`${INTENTS}/${body['id']}/${verb}`, {});
      expect(refused.body['error']).toMatchObject({
        code: 'payment_intent_unexpected_state',
        payment_intent: { status: 'processing' },
      });
    }
    await sleep(SETTLED_MS);
    expect(await provider.ledger()).toHaveLength(1);
  });

  it('end, once, although the provider was gone when their time came', async ({ onTestFinished }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'provider-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const first = await startDirect(dataDir, undefined, onTestFinished);
    const { body } = await first.post(INTENTS, charge('pm_sim_async'));
    await first.close();
    await sleep(SETTLED_MS);
    const second = await startDirect(dataDir, undefined, onTestFinished);
    await sleep(100);
    expect(await second.ledger()).toHaveLength(1);
    expect((await second.get(`${INTENTS}/${body['id']}`)).body).toMatchObject({ status: 'succeeded' });
    await second.close();
    const third = await startDirect(dataDir, undefined, onTestFinished);
    await sleep(100);
    expect(await third.ledger()).toHaveLength(1);
  });
});
