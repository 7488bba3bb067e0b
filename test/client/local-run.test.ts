import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fileStorage } from '../../lib/client/file-storage.ts';
import { type IntentionResult, intentions } from '../../lib/entry/client.ts';
import { type Local, orderId, payment, startLocal } from '../acceptance/local.ts';
import { type Cut, type CuttingProxy, cuttingProxy } from './cutting-proxy.ts';

let local: Local;
let proxy: CuttingProxy;
let authorization: string;
const directory = mkdtempSync(join(tmpdir(), 'chipta-intentions-'));

beforeAll(async () => {
  local = await startLocal({
    FUNCTION_TIMEOUT_SECONDS: '4',
    RECONCILE_EVERY_SECONDS: '1',
    RECONCILE_GRACE_SECONDS: '2',
  });
  proxy = await cuttingProxy(local.url);
  authorization = `Bearer ${(await local.request('/local/token?sub=alice')).text}`;
});
afterAll(async () => {
  await proxy?.stop();
  await local?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** A program that was just started: it shares nothing with an earlier one but the files. */
const program = () =>
  intentions({ storage: fileStorage({ directory }), headers: () => ({ authorization }), deadlineMs: 25_000 });

const open = (order: string, paymentMethod?: string) =>
  program().open(`checkout:${order}`, { url: `${proxy.url}/payments`, body: payment(order, paymentMethod) });

const isReplayed = (result: IntentionResult): boolean =>
  result.response?.headers.get('idempotency-replayed') === 'true';

const LINES: readonly (readonly [where: string, cuts: readonly Cut[], isMadeBefore: boolean])[] = [
  ['before the request twice', ['before-request', 'before-request'], false],
  ['after the request twice', ['after-request', 'after-request'], true],
  ['in the middle of the answer’s body', ['in-answer-body'], true],
  ['everywhere, one after the other', ['before-request', 'after-request', 'in-answer-body'], true],
];

describe('a payment over a line that is cut', () => {
  it.each(LINES)(
    '%s is one charge under one key, and the customer gets the answer',
    async (_where, cuts, isMadeBefore) => {
      const order = orderId();
      const seen = proxy.keys.length;
      proxy.cut(...cuts);
      const intention = await open(order);
      const result = await intention.send();
      expect(result).toMatchObject({ kind: 'answered', response: { status: 201 } });
      expect(isReplayed(result)).toBe(isMadeBefore);
      expect(await result.response?.json()).toMatchObject({ orderId: order, amount: 100_000, status: 'succeeded' });
      expect(proxy.keys.slice(seen)).toEqual(Array(cuts.length + 1).fill(intention.key));
      expect(new Set(proxy.bodies.slice(seen))).toEqual(new Set([JSON.stringify(payment(order))]));
      expect(await local.ledger(order)).toHaveLength(1);
    },
  );

  it('whose program dies before it hears the answer is found by the next program, with one charge', async () => {
    const order = orderId();
    proxy.cut('answer-held-back');
    const before = await open(order);
    const death = new AbortController();
    const dying = before.send({ signal: death.signal });
    await vi.waitUntil(async () => (await local.ledger(order)).length === 1, { timeout: 10_000 });
    death.abort();
    expect(await dying).toMatchObject({ kind: 'unknown', reason: 'aborted' });

    const after = await program().find(`checkout:${order}`);
    expect([after?.key, after?.state]).toEqual([before.key, 'sent']);
    expect(await after?.send()).toMatchObject({ kind: 'answered', response: { status: 201 } });
    expect(await (await open(order)).send()).toMatchObject({ kind: 'answered', response: { status: 201 } });
    expect(await local.ledger(order)).toHaveLength(1);
  });

  it('to a provider that loses its answer too ends with one charge', async () => {
    const order = orderId();
    proxy.cut('after-request', 'in-answer-body');
    expect(await (await open(order, 'pm_sim_drop')).send()).toMatchObject({
      kind: 'answered',
      response: { status: 201 },
    });
    expect(await local.ledger(order)).toHaveLength(1);
  });

  it('that is declined is final, and another card is another intention under the same name', async () => {
    const order = orderId();
    proxy.cut('after-request');
    const declined = await open(order, 'pm_card_chargeDeclined');
    expect(await declined.send()).toMatchObject({ kind: 'answered', response: { status: 402 } });
    const other = await open(order);
    expect(other.key).not.toBe(declined.key);
    expect(await other.send()).toMatchObject({ kind: 'answered', response: { status: 201 } });
    expect(await local.ledger(order)).toHaveLength(1);
  });

  it('of a caller whose token is no longer good goes on under the same key when it is', async () => {
    const order = orderId();
    const good = authorization;
    const intention = await open(order);
    authorization = 'Bearer expired';
    expect(await intention.send()).toMatchObject({ kind: 'answered', response: { status: 401 } });
    authorization = good;
    expect(await intention.send()).toMatchObject({ kind: 'answered', response: { status: 201 } });
    expect(await local.ledger(order)).toHaveLength(1);
  });
});
