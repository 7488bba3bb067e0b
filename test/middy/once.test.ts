import { describe, expect, test } from 'vitest';
import type { Protocol, ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import { once, type WorkEnd } from '../../lib/middy/once.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { budgetOf, fakeAmbient } from '../support/fake-ambient.ts';
import { faultyStore } from '../support/faulty-store.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const RETENTION_MS = 35 * DAY_MS;
const INVOCATION_MS = 20_000;
const LEASE_MS = INVOCATION_MS + 5_000;

const DONE: WorkEnd = { kind: 'done' };
const done = async () => DONE;
const undone = async (): Promise<WorkEnd> => ({ kind: 'undone', reason: 'not yet' });
const failing = () => Promise.reject(new Error('it failed'));

/** One unit of work, delivered as often as a test likes. */
function unit(wrap: (store: Store) => Store = (store) => store) {
  const ambient = fakeAmbient();
  const store = faultyStore(wrap(memoryStore({ now: ambient.now })));
  const events: ProtocolEvent[] = [];
  const protocol: Protocol = { store, ambient, retentionMs: RETENTION_MS, observe: (event) => events.push(event) };
  let runs = 0;
  return {
    ambient,
    store,
    runs: () => runs,
    kinds: () => events.map(({ kind }) => kind),
    deliver: (work: () => Promise<WorkEnd> = done, key = 'evt_1', scope = 'events', remainingMs = INVOCATION_MS) =>
      once(protocol, { scope, key, budget: budgetOf(ambient, remainingMs) }, () => {
        runs += 1;
        return work();
      }),
    /** A delivery whose process dies while it works. */
    die: () =>
      new Promise<void>((resolve) => {
        const budget = budgetOf(ambient, INVOCATION_MS);
        void once(protocol, { scope: 'events', key: 'evt_1', budget }, () => {
          resolve();
          return new Promise(() => {});
        });
      }),
  };
}

describe('a unit of work', () => {
  test('is done once, and every later delivery is told so', async () => {
    const u = unit();
    expect(await u.deliver()).toEqual(DONE);
    expect(await u.deliver()).toEqual({ kind: 'already-done' });
    expect(u.runs()).toBe(1);
    expect(u.kinds()).toEqual(['claimed', 'settled', 'replayed']);
  });

  test('is not the unit of another kind with the same key', async () => {
    const u = unit();
    await u.deliver(done, 'k', 'events');
    expect(await u.deliver(done, 'k', 'jobs')).toEqual(DONE);
    expect(await u.deliver(done, 'sk', 'event')).toEqual(DONE);
    expect(u.runs()).toBe(3);
  });

  // H9
  test.each([26 / 24, 20, 34.99])('is remembered %f days later', async (days) => {
    const u = unit();
    await u.deliver();
    u.ambient.advance(days * DAY_MS);
    expect(await u.deliver()).toEqual({ kind: 'already-done' });
    expect(u.runs()).toBe(1);
  });

  test('is forgotten when its retention has ended', async () => {
    const u = unit();
    await u.deliver();
    u.ambient.advance(RETENTION_MS);
    expect(await u.deliver()).toEqual(DONE);
    expect(u.runs()).toBe(2);
  });

  test('leaves nothing in the due index once it is done', async () => {
    const u = unit();
    await u.deliver();
    const until = u.ambient.now();
    const pages = await Promise.all(Array.from({ length: u.store.shards }, (_, n) => u.store.due(n, until, 10)));
    expect(pages.flatMap(({ due }) => due)).toEqual([]);
  });
});

describe('a delivery that fails', () => {
  // H10
  test('by an exception frees the unit for the next one, and the exception passes', async () => {
    const u = unit();
    await expect(u.deliver(failing)).rejects.toThrow('it failed');
    expect(await u.deliver()).toEqual(DONE);
    expect(u.kinds()).toEqual(['claimed', 'released', 'claimed', 'settled']);
  });

  test('because its work is not finished frees it too, and says why', async () => {
    const u = unit();
    expect(await u.deliver(undone)).toEqual({ kind: 'undone', reason: 'not yet' });
    expect(await u.deliver()).toEqual(DONE);
  });

  test('and cannot free it is made good by the end of its lease', async () => {
    const u = unit();
    u.store.fail('release');
    expect(await u.deliver(undone)).toEqual({ kind: 'undone', reason: 'not yet' });
    expect(u.kinds()).toContain('store-error');
    expect(await u.deliver()).toEqual({ kind: 'busy', retryAfterMs: LEASE_MS });
    u.ambient.advance(LEASE_MS + 1);
    expect(await u.deliver()).toEqual(DONE);
  });
});

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

describe('a store that fails', () => {
  // A3
  test('at the claim: nothing runs', async () => {
    const u = unit();
    u.store.isDown = true;
    await expect(u.deliver()).rejects.toThrow('did not answer');
    expect(u.runs()).toBe(0);
  });

  // A1
  test('to reply to a claim that landed: the lease ends, and the next delivery takes over', async () => {
    const u = unit();
    u.store.fail('claim', 'lost');
    await expect(u.deliver()).rejects.toThrow('did not answer');
    u.ambient.advance(LEASE_MS + 1);
    expect(await u.deliver()).toEqual(DONE);
  });

  test('when the work is done is not taken for success, and the work is done again', async () => {
    const u = unit();
    u.store.fail('settle');
    await expect(u.deliver()).rejects.toThrow('did not answer');
    expect((await u.deliver()).kind).toBe('busy');
    u.ambient.advance(LEASE_MS + 1);
    expect(await u.deliver()).toEqual(DONE);
    expect(u.runs()).toBe(2);
  });

  test('by blocking a write that has no domain is an error', async () => {
    const u = unit((inner) => ({ ...inner, write: async () => ({ kind: 'blocked', by: [] }) }));
    await expect(u.deliver()).rejects.toThrow('refused by one');
  });

  test('by holding something else under the address is an error', async () => {
    const u = unit((inner) => ({
      ...inner,
      write: async () => ({ kind: 'refused', found: { status: 'newer', v: 2, pk: 'pk' } }),
    }));
    await expect(u.deliver()).rejects.toThrow('cannot be read: unreadable');
  });
});

test('with too little time left nothing is claimed', async () => {
  const u = unit();
  expect(await u.deliver(done, 'evt_1', 'events', 1_799)).toEqual({ kind: 'busy', retryAfterMs: 1_000 });
  expect([u.store.calls, u.kinds()]).toEqual([[], ['not-enough-time']]);
  expect(await u.deliver(done, 'evt_1', 'events', 1_800)).toEqual(DONE);
});
