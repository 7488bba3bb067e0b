import { describe, expect, test } from 'vitest';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import type { Write } from '../../lib/idempotency/transition.ts';
import { fakeEffect } from '../support/fake-effect.ts';
import { codeOf, LEASE_MS, scene } from '../support/scene.ts';

const OTHER = { fingerprint: 'f1:other' as Fingerprint };
const UNGATED = { effect: undefined };

describe('a lapsed lease before the gate', () => {
  test('is taken over exactly once', async () => {
    const s = scene(fakeEffect({}));
    await s.begin();
    const { operation, owner } = await s.open();
    s.ambient.advance(LEASE_MS + 1);
    const codes = await Promise.all([s.begin(), s.begin(), s.begin()].map(async (begun) => codeOf(await begun)));
    expect(codes.toSorted()).toEqual(['409 idempotency-key-in-progress', '409 idempotency-key-in-progress', 'run']);
    expect(await s.open()).toMatchObject({ operation, leaseUntil: s.ambient.now() + LEASE_MS });
    expect((await s.open()).owner).not.toBe(owner);
    expect(s.kinds()).toContain('taken-over');
  });

  // A18, A19
  test.each([
    [-1_000, '409 idempotency-key-in-progress'],
    [0, '409 idempotency-key-in-progress'],
    [1, 'run'],
  ])('is judged in milliseconds: %i ms after its end', async (ms, code) => {
    const s = scene(fakeEffect({}));
    await s.begin();
    s.ambient.advance(LEASE_MS + ms);
    expect(codeOf(await s.begin())).toBe(code);
  });

  // A14
  test('is not taken over by another request', async () => {
    const s = scene(fakeEffect({}));
    await s.begin();
    s.ambient.advance(LEASE_MS + 1);
    expect(codeOf(await s.begin(OTHER))).toBe('422 idempotency-key-reused');
  });

  test('is not taken over while the store is down', async () => {
    const s = scene(fakeEffect({}));
    await s.begin();
    s.ambient.advance(LEASE_MS + 1);
    s.store.fail('take-over', 'lost');
    expect(codeOf(await s.begin())).toBe('503 store-unavailable');
    s.ambient.advance(LEASE_MS + 1);
    expect(codeOf(await s.begin())).toBe('run');
  });

  test('of an effect is no place for a handler without one, which nobody could fence', async () => {
    const s = scene(fakeEffect({}));
    await s.begin();
    s.ambient.advance(LEASE_MS + 1);
    expect(codeOf(await s.begin(UNGATED))).toBe('409 outcome-pending');
    await s.reconcile();
    expect(codeOf(await s.begin(UNGATED))).toBe('run');
  });
});

describe('contention', () => {
  /** A store whose refusals show a free key, for as many claims as told. */
  function contended(losses: number) {
    const s = scene(fakeEffect({}));
    const write = s.store.write.bind(s.store);
    let left = losses;
    s.store.write = async (attempted: Write) => {
      left -= 1;
      return left >= 0 ? { kind: 'refused', found: undefined } : write(attempted);
    };
    return s;
  }

  test('that is won in the very last round lets the request run', async () => {
    expect(codeOf(await contended(4).begin())).toBe('run');
  });

  test('without an end is for the client to wait out', async () => {
    const s = contended(100);
    expect(codeOf(await s.begin())).toBe('409 idempotency-key-in-progress');
    expect(await s.item()).toBeUndefined();
  });
});

describe('a plain handler that died', () => {
  test('is pending for its clients until the reconciler has had a look, and under review from then on', async () => {
    const s = scene(fakeEffect({}));
    await s.begin(UNGATED);
    s.ambient.advance(LEASE_MS + 1);
    expect(codeOf(await s.begin(UNGATED))).toBe('409 outcome-pending');
    expect(await s.reconcile()).toMatchObject({ quarantined: 1 });
    expect(codeOf(await s.begin(UNGATED))).toBe('409 under-review');
    expect(s.kinds()).toEqual(expect.arrayContaining(['pending', 'quarantined', 'under-review']));
  });
});
