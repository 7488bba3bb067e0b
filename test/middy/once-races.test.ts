import { describe, expect, test } from 'vitest';
import type { WorkEnd } from '../../lib/middy/once.ts';
import { DONE, LEASE_MS, unit } from '../support/unit-of-work.ts';

describe('a delivery that dies', () => {
  // H1
  test('keeps the unit until its lease has ended, and then the next one does the work', async () => {
    const u = unit();
    await u.die();
    expect(await u.deliver()).toEqual({ kind: 'busy', retryAfterMs: LEASE_MS });
    u.ambient.advance(LEASE_MS);
    expect(await u.deliver()).toEqual({ kind: 'busy', retryAfterMs: 1_000 });
    u.ambient.advance(1);
    expect(await u.deliver()).toEqual(DONE);
    expect([u.runs(), u.kinds().at(-2)]).toEqual([1, 'taken-over']);
    expect(await u.deliver()).toEqual({ kind: 'already-done' });
  });

  // H11
  test('is taken over by one of two that come at once', async () => {
    const u = unit();
    await u.die();
    u.ambient.advance(LEASE_MS + 1);
    const ends = await Promise.all([u.deliver(), u.deliver()]);
    expect(ends.map(({ kind }) => kind).toSorted()).toEqual(['busy', 'done']);
    expect(u.runs()).toBe(1);
  });

  test('is freed by the reconciler like any claim before its gate', async () => {
    const u = unit();
    await u.die();
    u.ambient.advance(LEASE_MS + 1);
    const { due } = (
      await Promise.all(Array.from({ length: u.store.shards }, (_, n) => u.store.due(n, u.ambient.now(), 10)))
    ).find((page) => page.due.length > 0) ?? { due: [] };
    const [entry] = due;
    const found = entry?.kind === 'claim' ? await u.store.read(entry.pk) : undefined;
    if (found?.status !== 'claimed') throw new Error(`It is ${found?.status}.`);
    const { pk, operation, owner } = found;
    await u.store.write({ kind: 'release', pk, operation, owner, lapsedAt: u.ambient.now() });
    expect(await u.deliver()).toEqual(DONE);
  });
});

describe('deliveries at the same time', () => {
  // H2, H11
  test('run once; the others are told to come again', async () => {
    const u = unit();
    const finish = Promise.withResolvers<WorkEnd>();
    const first = u.deliver(() => finish.promise);
    const others = await Promise.all([u.deliver(), u.deliver(), u.deliver()]);
    expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['busy']));
    finish.resolve(DONE);
    expect(await first).toEqual(DONE);
    expect(u.runs()).toBe(1);
  });

  // H2
  test('of which the first fails after the second was told to come again: the second does the work', async () => {
    const u = unit();
    const finish = Promise.withResolvers<WorkEnd>();
    const first = u.deliver(() => finish.promise);
    expect((await u.deliver()).kind).toBe('busy');
    finish.reject(new Error('it failed'));
    await expect(first).rejects.toThrow('it failed');
    expect(await u.deliver()).toEqual(DONE);
  });

  // A12
  test('of which the first is slow: what it finishes after its lease does not end the work of its successor', async () => {
    const u = unit();
    const finish = Promise.withResolvers<WorkEnd>();
    const successor = Promise.withResolvers<WorkEnd>();
    const first = u.deliver(() => finish.promise);
    await Promise.resolve();
    u.ambient.advance(LEASE_MS + 1);
    const second = u.deliver(() => successor.promise);
    await expect.poll(u.runs).toBe(2);
    finish.resolve(DONE);
    expect(await first).toEqual(DONE);
    expect((await u.deliver()).kind).toBe('busy');
    successor.resolve(DONE);
    await second;
    expect(await u.deliver()).toEqual({ kind: 'already-done' });
  });

  // A12
  test('of which the first fails after its lease: it does not free what its successor holds', async () => {
    const u = unit();
    const [slow, successor] = [Promise.withResolvers<WorkEnd>(), Promise.withResolvers<WorkEnd>()];
    const first = u.deliver(() => slow.promise);
    await expect.poll(u.runs).toBe(1);
    u.ambient.advance(LEASE_MS + 1);
    const second = u.deliver(() => successor.promise);
    await expect.poll(u.runs).toBe(2);
    slow.resolve({ kind: 'undone', reason: 'late' });
    await first;
    expect(u.kinds()).not.toContain('released');
    expect((await u.deliver()).kind).toBe('busy');
    successor.resolve(DONE);
    expect(await second).toEqual(DONE);
  });

  test('that lose every round come again', async () => {
    const u = unit((inner) => ({
      ...inner,
      write: (write) =>
        write.kind === 'claim' ? Promise.resolve({ kind: 'refused', found: undefined }) : inner.write(write),
    }));
    expect(await u.deliver()).toEqual({ kind: 'busy', retryAfterMs: 1_000 });
  });
});
