import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Local, orderId, payment, startLocal } from './local.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal();
});
afterAll(() => local.stop());

const isReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed') === 'true';

describe('one intention', () => {
  it('is charged once and answered twice with the same bytes', async () => {
    const [order, key] = [orderId(), randomUUID()];
    const first = await local.pay(key, payment(order));
    const second = await local.pay(key, payment(order));
    expect(first.body).toMatchObject({ orderId: order, amount: 100_000, currency: 'UZS', status: 'succeeded' });
    expect([first.status, isReplayed(first)]).toEqual([201, false]);
    expect([second.status, isReplayed(second), second.text]).toEqual([201, true, first.text]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(await local.ledger(order)).toMatchObject([{ amount: 100_000, currency: 'UZS' }]);
  });

  it('is charged once by twenty requests at once', async () => {
    const [order, key] = [orderId(), randomUUID()];
    const replies = await Promise.all(Array.from({ length: 20 }, () => local.pay(key, payment(order, 'pm_sim_slow'))));
    expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(1);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect([reply.status, reply.body.code]).toEqual([409, 'idempotency-key-in-progress']);
      expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(reply.headers.get('link')).toContain(`</idempotency-keys/${key}>; rel="status"`);
    }
    expect(await local.ledger(order)).toHaveLength(1);
  });

  it('is refused with another amount, whatever became of it', async () => {
    const [order, key] = [orderId(), randomUUID()];
    await local.pay(key, payment(order));
    const other = await local.pay(key, payment(order, 'pm_card_visa', 5));
    expect([other.status, other.body.code, other.body.retry]).toEqual([422, 'idempotency-key-reused', 'new-key']);
    expect((await local.request(new URL(String(other.body['type'])).pathname)).status).toBe(200);
  });

  it('belongs to its principal: another one with the same key pays for itself and sees nothing of the first', async () => {
    const key = randomUUID();
    const [mine, theirs] = [orderId(), orderId()];
    const first = await local.pay(key, payment(mine));
    const second = await local.pay(key, payment(theirs), 'bob');
    expect([second.status, isReplayed(second), second.body['orderId']]).toEqual([201, false, theirs]);
    const location = String(first.headers.get('location'));
    expect((await local.get(location)).status).toBe(200);
    expect((await local.get(location, 'bob')).status).toBe(404);
  });

  it('is not used up by a body that was refused', async () => {
    const [order, key] = [orderId(), randomUUID()];
    expect((await local.pay(key, payment(order, 'pm_card_visa', -5))).status).toBe(400);
    expect((await local.pay(key, payment(order))).status).toBe(201);
  });

  it('can be asked for by its key, whatever characters the key has', async () => {
    const key = 'a/b%2Fc?d=é'.replace('é', 'e#');
    expect((await local.get(`/idempotency-keys/${encodeURIComponent(key)}`)).status).toBe(404);
    const paid = await local.pay(key, payment(orderId()));
    expect(await local.keyState(key)).toMatchObject({
      state: 'completed',
      status: 201,
      location: paid.headers.get('location'),
    });
    expect((await local.get(`/idempotency-keys/${encodeURIComponent(key)}`, 'bob')).status).toBe(404);
  });
});

describe('one order', () => {
  it('takes one payment from two keys at once', async () => {
    const order = orderId();
    const replies = await Promise.all([1, 2].map(() => local.pay(randomUUID(), payment(order, 'pm_sim_slow'))));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect(['order-payment-pending', 'order-already-paid']).toContain(refused?.body.code);
    expect(await local.ledger(order)).toHaveLength(1);
  });

  it('takes no second payment once it is paid, and the second key is not used up by that', async () => {
    const [order, key] = [orderId(), randomUUID()];
    await local.pay(randomUUID(), payment(order));
    const again = await local.pay(key, payment(order));
    expect([again.status, again.body.code, again.body.retry]).toEqual([409, 'order-already-paid', 'no']);
    expect((await local.pay(key, payment(orderId()))).status).toBe(201);
  });

  it('can be paid under a new key after a decline, whose answer is final for the old one', async () => {
    const [order, key] = [orderId(), randomUUID()];
    const declined = await local.pay(key, payment(order, 'pm_card_chargeDeclined'));
    const replay = await local.pay(key, payment(order, 'pm_card_chargeDeclined'));
    expect([declined.status, declined.body.code, declined.body.retry]).toEqual([402, 'payment-declined', 'new-key']);
    expect([replay.status, isReplayed(replay), replay.text]).toEqual([402, true, declined.text]);
    expect((await local.pay(key, payment(order))).status).toBe(422);
    expect((await local.pay(randomUUID(), payment(order))).status).toBe(201);
    expect(await local.ledger(order)).toHaveLength(1);
  });

  it('is free again when the provider refused the payment in validation', async () => {
    const [order, key] = [orderId(), randomUUID()];
    const refused = await local.pay(key, payment(order, 'pm_no_such_method'));
    expect([refused.status, refused.body.code]).toEqual([402, 'payment-not-performed']);
    expect((await local.pay(key, payment(order, 'pm_no_such_method'))).text).toBe(refused.text);
    expect((await local.pay(randomUUID(), payment(order))).status).toBe(201);
  });
});

describe('the gateway', () => {
  it('refuses whoever has no valid token', async () => {
    const headers = { authorization: 'Bearer nonsense' };
    expect((await local.pay(randomUUID(), payment(orderId()), 'alice', headers)).status).toBe(401);
  });
});

describe('a key after its retention', () => {
  it('pays again for a new order, under a new key at the provider', async () => {
    const short = await startLocal({ RETENTION_SECONDS: '2' });
    try {
      const [key, before, after] = [randomUUID(), orderId(), orderId()];
      const first = await short.pay(key, payment(before));
      await sleep(4000);
      const second = await short.pay(key, payment(after));
      expect([first.status, second.status, isReplayed(second)]).toEqual([201, 201, false]);
      const [one, two] = [await short.ledger(before), await short.ledger(after)];
      expect([one.length, two.length]).toEqual([1, 1]);
      expect(one[0]?.operation).not.toBe(two[0]?.operation);
    } finally {
      await short.stop();
    }
  });
});
