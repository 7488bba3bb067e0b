import { describe, expect, test } from 'vitest';
import type { ExecutingClaim } from '../../lib/idempotency/claim.ts';
import { UngatedOperation } from '../../lib/idempotency/ungated-operation.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import { fakeEffect, performed } from '../support/fake-effect.ts';
import { bytesOf, COMMAND, codeOf, INVOCATION_MS, type Scene, scene } from '../support/scene.ts';

const WAIT = { waitMs: 5_000 };

/** Does `work` once the waiting request has slept `after` times; its clock moves by what it sleeps. */
function duringWait(s: Scene, after: number, work: () => Promise<unknown>): void {
  const { sleep } = s.ambient;
  s.ambient.sleep = async (ms) => {
    await sleep(ms);
    if (s.ambient.sleeps.length === after) await work();
  };
}

async function plain(s: Scene) {
  const begun = await s.begin({ effect: undefined });
  if (begun.kind !== 'run') throw new Error(codeOf(begun));
  return new UngatedOperation(s.protocol, begun.claim as ExecutingClaim, { keep: 'final', on5xx: 'release' });
}
const retry = (s: Scene, part = {}) => s.begin({ effect: undefined, ...WAIT, ...part } as never);
const reads = (s: Scene) => s.store.calls.filter((call) => call === 'read').length;

describe('a request that waits for another with its key', () => {
  test('gets the answer as soon as it is there', async () => {
    const s = scene(fakeEffect({}));
    const operation = await plain(s);
    duringWait(s, 3, () => operation.complete({ status: 201, headers: {}, body: Buffer.from('done') }));
    const begun = await retry(s);
    expect([codeOf(begun), bytesOf(begun)]).toEqual(['201 replayed', 'done']);
    expect(s.ambient.sleeps).toEqual([100, 200, 400]);
  });

  test('gets the answer of an effect, too', async () => {
    const s = scene(fakeEffect({ perform: [performed] }));
    const operation = await s.claim();
    duringWait(s, 1, () => operation.perform(COMMAND));
    expect(codeOf(await s.begin(WAIT))).toBe('201 replayed');
  });

  test('is answered 409 as before when its time is over, having asked in growing pauses', async () => {
    const s = scene(fakeEffect({}));
    await plain(s);
    const start = s.ambient.now();
    expect(codeOf(await retry(s))).toBe('409 idempotency-key-in-progress');
    expect(s.ambient.now() - start).toBe(5_000);
    expect(s.ambient.sleeps).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000, 500]);
    expect(reads(s)).toBe(8);
  });

  test('does not wait unless it was told to', async () => {
    const s = scene(fakeEffect({}));
    await plain(s);
    expect(codeOf(await retry(s, { waitMs: 0 }))).toBe('409 idempotency-key-in-progress');
    expect(codeOf(await s.begin({ effect: undefined }))).toBe('409 idempotency-key-in-progress');
    expect(s.ambient.sleeps).toEqual([]);
  });

  test('leaves as much of its function’s time as running itself would take', async () => {
    const s = scene(fakeEffect({}));
    await plain(s);
    const budget = budgetOf(s.ambient, 3_000);
    expect(codeOf(await retry(s, { budget }))).toBe('409 idempotency-key-in-progress');
    expect(budget.remainingMs()).toBe(1_800);
  });

  test('runs itself when the other has freed the key', async () => {
    const s = scene(fakeEffect({}));
    const operation = await plain(s);
    duringWait(s, 2, () => operation.release());
    expect(codeOf(await retry(s))).toBe('run');
  });

  test('is told at once that it asks for something else, and that its key is under review', async () => {
    const s = scene(fakeEffect({}));
    await plain(s);
    expect(codeOf(await retry(s, { fingerprint: 'f1:other' }))).toBe('422 idempotency-key-reused');
    s.ambient.advance(INVOCATION_MS * 10);
    await s.reconcile();
    expect(codeOf(await retry(s))).toBe('409 under-review');
    expect(s.ambient.sleeps).toEqual([]);
  });

  test('recovers the effect of an owner who dies meanwhile', async () => {
    const s = scene(fakeEffect({ lookup: [performed] }));
    const operation = await s.claim();
    s.store.fail('hand-off');
    await operation.perform(COMMAND);
    s.ambient.advance(INVOCATION_MS + 3_000);
    expect(codeOf(await s.begin(WAIT))).toBe('201 replayed');
    expect(s.ambient.now() - (await s.done()).createdAt).toBeLessThan(INVOCATION_MS + 6_000);
  });

  test('is turned away when the store fails while it waits', async () => {
    const s = scene(fakeEffect({}));
    await plain(s);
    s.store.fail('read', 'failed', 2);
    expect(codeOf(await retry(s))).toBe('503 store-unavailable');
  });

  test('spreads its questions by chance, to half of a pause', async () => {
    const s = scene(fakeEffect({}));
    await plain(s);
    s.ambient.random = () => 0.5;
    await retry(s);
    expect(s.ambient.sleeps.slice(0, 3)).toEqual([75, 150, 300]);
  });
});
