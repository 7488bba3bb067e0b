import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Messages, startMessages, until } from './messages.ts';
import { bodyOf } from './support.ts';

let local: Messages;
beforeAll(async () => {
  local = await startMessages();
});
afterAll(() => local.stop());

describe('webhooks in the local run', () => {
  it('reach the function, which verifies them and queues what the other function then does', async () => {
    await local.pay('o-1');
    await until(() => local.typesOf('o-1').length === 2);
    expect(local.typesOf('o-1')).toEqual(['created', 'succeeded']);
    expect(local.jobs()[0]).toMatchObject({ queue: 'Messages-Jobs', count: 1 });
  });

  it('tell of a payment that its bank took its time for', async () => {
    expect(await local.pay('o-2', 'pm_sim_async')).toMatchObject({ status: 'processing' });
    await until(() => local.typesOf('o-2').length === 3);
    expect(local.typesOf('o-2')).toEqual(['created', 'processing', 'succeeded']);
    const rows: { orderId: string }[] = await local.read('ledger');
    expect(rows.filter(({ orderId }) => orderId === 'o-2')).toHaveLength(1);
  });

  it('come again when the function was killed over them', async () => {
    await local.control('faults', 'POST', '{"fault":"webhook_drop"}');
    const paid = local.pay('o-3');
    for (let i = 0; i < 20; i += 1) {
      await local.control('kill?function=webhook');
      await sleep(20);
    }
    await paid;
    await until(() => local.typesOf('o-3').length > 0);
    expect(local.typesOf('o-3')).toContain('succeeded');
    const events: { data: { object: { metadata: { order: string } } }; delivery: { state: string } }[] =
      await local.read('events');
    const mine = events.filter(({ data }) => data.object.metadata.order === 'o-3');
    expect(mine.map(({ delivery }) => delivery.state).sort()).toEqual(['delivered', 'dropped']);
  });

  it('are refused by the function when somebody else signs them', async () => {
    const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'x', data: { object: {} } });
    const forged = local.stripe.webhooks.generateTestHeaderString({ payload, secret: 'whsec_other' });
    const post = async (signature: string) =>
      (
        await fetch(`${local.url}/webhooks/stripe`, {
          method: 'POST',
          headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
          body: payload,
        })
      ).status;
    expect(await post(forged)).toBe(500);
  });
});

describe('secrets in the local run', () => {
  it('are told apart by the variables that name them', async () => {
    const ask = async (name: string) => {
      const response = await fetch(String(local.environment['AWS_ENDPOINT_URL_SECRETS_MANAGER']), {
        method: 'POST',
        headers: { 'x-amz-target': 'secretsmanager.GetSecretValue' },
        body: JSON.stringify({ SecretId: name }),
      });
      return (await bodyOf(response)).SecretString;
    };
    expect(await ask(String(local.environment['STRIPE_SECRET_ID']))).toBe('sk_test_local');
    expect(await ask(String(local.environment['STRIPE_WEBHOOK_SECRET_ID']))).toBe('whsec_local');
    expect(await ask('messages/stripe')).toBe('sk_test_local');
    expect(await ask('messages/webhook')).toBe('whsec_local');
  });
});
