import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Local, orderId, payment, startLocal } from './local.ts';

/** Within this time every open payment ends, whether somebody asks for it or not. */
const SETTLED_MS = 40_000;

let local: Local;
beforeAll(async () => {
  local = await startLocal({
    FUNCTION_TIMEOUT_SECONDS: '4',
    RECONCILE_EVERY_SECONDS: '1',
    RECONCILE_GRACE_SECONDS: '2',
  });
});
afterAll(() => local.stop());

interface Lost {
  readonly method: string;
  readonly meanwhile?: () => Promise<unknown>;
  readonly isRetried: boolean;
}

/** Pays once, loses the answer, waits for the end, and holds the end against the ledger. */
async function loseTheAnswer({ method, meanwhile, isRetried }: Lost) {
  const [order, key] = [orderId(), randomUUID()];
  const body = payment(order, method);
  const first = local.pay(key, body).catch(() => undefined);
  await meanwhile?.();
  const answer = await first;
  if (!isRetried) await untilCompleted(key);
  const last = await local.insist(key, body, SETTLED_MS);
  const charges = await local.ledger(order);
  expect(charges.length, `${method}: at most one charge`).toBeLessThanOrEqual(1);
  if (charges.length === 1) {
    expect([last.status, last.text], method).toEqual([201, expect.stringContaining(order)]);
    expect(answer?.status, `${method}: nobody called it failed`).not.toBe(402);
  } else {
    expect([last.status, last.body.code, last.body.retry], method).toEqual([402, 'payment-not-performed', 'new-key']);
  }
  for (const attempt of [1, 2]) {
    expect((await local.pay(key, body)).text, `${method}: replay ${attempt}`).toBe(last.text);
  }
  expect(await local.keyState(key)).toMatchObject({ state: 'completed', status: last.status });
  return { charged: charges.length === 1 };
}

async function untilCompleted(key: string): Promise<void> {
  const end = Date.now() + SETTLED_MS;
  while ((await local.keyState(key))['state'] !== 'completed' && Date.now() < end) await sleep(300);
}

const METHODS: readonly (readonly [method: string, charged: boolean])[] = [
  ['pm_sim_drop', true],
  ['pm_sim_hang', true],
  ['pm_sim_500_after', true],
  ['pm_sim_lag', true],
  ['pm_sim_500_before', false],
  ['pm_sim_refuse', false],
];

describe('an answer that was lost', () => {
  it('is found by a client that retries, or proved not to be a charge', { timeout: 90_000 }, async () => {
    const ends = await Promise.all(METHODS.map(([method]) => loseTheAnswer({ method, isRetried: true })));
    expect(ends.map(({ charged }) => charged)).toEqual(METHODS.map(([, charged]) => charged));
  });

  it('is found by the reconciler when nobody retries', { timeout: 90_000 }, async () => {
    const ends = await Promise.all(METHODS.map(([method]) => loseTheAnswer({ method, isRetried: false })));
    expect(ends.map(({ charged }) => charged)).toEqual(METHODS.map(([, charged]) => charged));
  });

  it.each([150, 600, 1200])(
    'after a kill %i ms into the payment ends in one charge or in none',
    async (ms) => {
      const kill = async () => {
        await sleep(ms);
        await local.control('/local/kill?function=create-payment');
      };
      for (const isRetried of [true, false]) await loseTheAnswer({ method: 'pm_sim_slow', meanwhile: kill, isRetried });
    },
    120_000,
  );

  it('is told as unknown, with the advice to ask again with the same key', async () => {
    const lost = await local.pay(randomUUID(), payment(orderId(), 'pm_sim_drop'));
    expect([lost.status, lost.body.code, lost.body.retry]).toEqual([503, 'outcome-pending', 'same-key']);
    expect(lost.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });
});

describe('a table that is down', () => {
  it('makes payments wait, charges nothing, and lets the same key pay when it is back', async () => {
    const [order, key] = [orderId(), randomUUID()];
    await local.control('/local/engine?do=stop');
    const down = await local.pay(key, payment(order)).finally(() => local.control('/local/engine?do=start'));
    expect([down.status, down.body.code, down.body.retry]).toEqual([503, 'store-unavailable', 'same-key']);
    expect(down.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await local.ledger(order)).toEqual([]);
  });
});
