import { describe, expect, test } from 'vitest';
import { fakeEffect, performed } from '../support/fake-effect.ts';
import { COMMAND, codeOf, LEASE_MS, scene } from '../support/scene.ts';

const GATE_OF_SOMEBODY = { table: 'orders', key: 'order', expect: 'absent', put: { operation: 'other' } } as const;

describe('a gate', () => {
  test('that the domain refuses frees the key and answers with the domain’s problem', async () => {
    const effect = fakeEffect({});
    const s = scene(effect);
    await s.store.commit([GATE_OF_SOMEBODY]);
    const operation = await s.claim();
    expect(codeOf(await operation.perform(COMMAND))).toBe('409 idempotency-key-in-progress');
    expect(await s.item()).toBeUndefined();
    expect(effect.calls).toEqual([]);
    expect(s.kinds()).toEqual(['claimed', 'released']);
  });

  test('that the domain refuses leaves the key to the end of its lease when it cannot be freed', async () => {
    const s = scene(fakeEffect({}));
    await s.store.commit([GATE_OF_SOMEBODY]);
    const operation = await s.claim();
    s.store.fail('release');
    expect(codeOf(await operation.perform(COMMAND))).toBe('409 idempotency-key-in-progress');
    expect((await s.open()).status).toBe('claimed');
  });

  test('whose write did not take effect frees the key', async () => {
    const effect = fakeEffect({});
    const s = scene(effect);
    const operation = await s.claim();
    s.store.fail('gate');
    expect(codeOf(await operation.perform(COMMAND))).toBe('503 store-unavailable');
    expect(await s.item()).toBeUndefined();
    expect(effect.calls).toEqual([]);
  });

  test('whose reply was lost is handed off, and nothing is sent', async () => {
    const effect = fakeEffect({});
    const s = scene(effect);
    const operation = await s.claim();
    s.store.fail('gate', 'lost');
    expect(codeOf(await operation.perform(COMMAND))).toBe('503 store-unavailable');
    expect(await s.open()).toMatchObject({ status: 'unknown' });
    expect(effect.calls).toEqual([]);
  });

  test('whose store has gone is left to the end of the lease', async () => {
    const s = scene(fakeEffect({}));
    const operation = await s.claim();
    s.store.isDown = true;
    expect(codeOf(await operation.perform(COMMAND))).toBe('503 store-unavailable');
    expect((await s.open()).status).toBe('claimed');
    expect(s.kinds().filter((kind) => kind === 'store-error')).toHaveLength(3);
  });
});

describe('an owner that slept before its gate', () => {
  // A12
  async function asleep() {
    const effect = fakeEffect({ perform: [performed, performed] });
    const s = scene(effect);
    const sleeper = await s.claim({ budget: { remainingMs: () => 10_000 } });
    s.ambient.advance(LEASE_MS + 1);
    return { s, effect, sleeper };
  }

  test('sends nothing once another has taken the claim over', async () => {
    const { s, effect, sleeper } = await asleep();
    await s.claim();
    expect(codeOf(await sleeper.perform(COMMAND))).toBe('409 idempotency-key-in-progress');
    expect(effect.calls).toEqual([]);
    expect((await s.open()).status).toBe('claimed');
  });

  test('answers with what the other has settled', async () => {
    const { s, effect, sleeper } = await asleep();
    const successor = await s.claim();
    await successor.perform(COMMAND);
    expect(codeOf(await sleeper.perform(COMMAND))).toBe('201');
    expect(effect.performs()).toBe(1);
  });

  test('sends nothing once the reconciler has freed the key', async () => {
    const { s, effect, sleeper } = await asleep();
    expect(await s.reconcile()).toMatchObject({ released: 1 });
    expect(codeOf(await sleeper.perform(COMMAND))).toBe('409 idempotency-key-in-progress');
    expect(effect.calls).toEqual([]);
  });

  test('answers nothing from a later generation of the key', async () => {
    const { s, effect, sleeper } = await asleep();
    await s.reconcile();
    await (await s.claim()).perform(COMMAND);
    expect(codeOf(await sleeper.perform(COMMAND))).toBe('409 idempotency-key-in-progress');
    expect(effect.performs()).toBe(1);
  });

  test('cannot free or hand off the claim of its successor', async () => {
    const { s, sleeper } = await asleep();
    await s.claim();
    const before = await s.item();
    expect(await sleeper.release()).toBe(false);
    await sleeper.abandon('woke up');
    expect(await s.item()).toEqual(before);
  });

  test('cannot hand off what its successor has sent', async () => {
    const reply = Promise.withResolvers<typeof performed>();
    const effect = fakeEffect({ perform: [() => reply.promise] });
    const s = scene(effect);
    const sleeper = await s.claim();
    s.ambient.advance(LEASE_MS + 1);
    const answer = (await s.claim()).perform(COMMAND);
    await expect.poll(() => effect.calls.length).toBe(1);
    await sleeper.abandon('woke up');
    expect((await s.open()).status).toBe('executing');
    reply.resolve(performed);
    expect(codeOf(await answer)).toBe('201');
  });
});
