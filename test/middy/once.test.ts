import { describe, expect, test } from 'vitest';
import type { Protocol } from '../../lib/idempotency/protocol.ts';
import type { Write } from '../../lib/idempotency/transition.ts';
import { once, type WorkEnd } from '../../lib/middy/once.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { budgetOf, fakeAmbient } from '../support/fake-ambient.ts';
import { faultyStore } from '../support/faulty-store.ts';

const DONE: WorkEnd = { kind: 'done' };
const RETENTION_MS = 35 * 24 * 60 * 60 * 1_000;

function deliveries() {
  const ambient = fakeAmbient();
  const store = faultyStore(memoryStore({ now: ambient.now }));
  const kinds: string[] = [];
  const observe: Protocol['observe'] = ({ kind }) => {
    kinds.push(kind);
  };
  const protocol: Protocol = { store, ambient, retentionMs: RETENTION_MS, observe };
  let runs = 0;
  const deliver = (work: () => Promise<WorkEnd> = async () => DONE, ms = 10_000, key = 'evt_1') =>
    once(protocol, { scope: 'events', key, budget: budgetOf(ambient, ms) }, async () => {
      runs += 1;
      return work();
    });
  return { ambient, store, kinds, deliver, runs: () => runs };
}

describe('a unit of work', () => {
  // H4, H9
  test('that is delivered again within its retention is not done again', async () => {
    const d = deliveries();
    expect(await d.deliver()).toEqual(DONE);
    d.ambient.advance(RETENTION_MS - 1_000);
    expect(await d.deliver()).toEqual({ kind: 'already-done' });
    d.ambient.advance(2_000);
    expect(await d.deliver()).toEqual(DONE);
    expect(d.runs()).toBe(2);
  });

  test('is known by its key', async () => {
    const d = deliveries();
    await d.deliver();
    expect(await d.deliver(async () => DONE, 10_000, 'evt_2')).toEqual(DONE);
  });

  // H2, H11
  test('that is at work elsewhere is busy, and says how long', async () => {
    const d = deliveries();
    const work = Promise.withResolvers<WorkEnd>();
    const first = d.deliver(() => work.promise);
    await expect.poll(() => d.runs()).toBe(1);
    expect(await d.deliver()).toEqual({ kind: 'busy', retryAfterMs: 15_000 });
    work.resolve(DONE);
    expect(await first).toEqual(DONE);
    expect(d.runs()).toBe(1);
  });

  // H1
  test('whose delivery died is done by the next one, once its lease has ended', async () => {
    const d = deliveries();
    void d.deliver(() => new Promise(() => {}));
    await expect.poll(() => d.runs()).toBe(1);
    d.ambient.advance(15_001);
    expect(await d.deliver()).toEqual(DONE);
    expect(d.kinds).toEqual(['claimed', 'taken-over', 'settled']);
  });

  // H10
  test('that fails, or is left undone, is free for its next delivery', async () => {
    const d = deliveries();
    const fail = async () => {
      throw new Error('out of paper');
    };
    await expect(d.deliver(fail)).rejects.toThrow('out of paper');
    expect(await d.deliver(async () => ({ kind: 'undone', reason: 'later' }))).toEqual({
      kind: 'undone',
      reason: 'later',
    });
    expect(await d.deliver()).toEqual(DONE);
    expect(d.runs()).toBe(3);
  });

  test('that cannot be freed waits for the end of its lease', async () => {
    const d = deliveries();
    d.store.fail('release');
    await d.deliver(async () => ({ kind: 'undone', reason: 'later' }));
    expect(await d.deliver()).toMatchObject({ kind: 'busy' });
    expect(d.kinds).toContain('store-error');
  });

  test('is not done before that is written down', async () => {
    const d = deliveries();
    d.store.fail('settle');
    await expect(d.deliver()).rejects.toThrow('did not answer');
    expect(await d.deliver()).toMatchObject({ kind: 'busy' });
  });

  test('is not begun in the time that it does not have', async () => {
    const d = deliveries();
    expect(await d.deliver(async () => DONE, 1_799)).toMatchObject({ kind: 'busy' });
    expect([d.runs(), d.store.calls]).toEqual([0, []]);
  });

  // A12
  test('that a slow delivery ends after another has taken over is settled by that other', async () => {
    const d = deliveries();
    const slow = Promise.withResolvers<WorkEnd>();
    const quick = Promise.withResolvers<WorkEnd>();
    const sleeper = d.deliver(() => slow.promise);
    await expect.poll(() => d.runs()).toBe(1);
    d.ambient.advance(15_001);
    const successor = d.deliver(() => quick.promise);
    await expect.poll(() => d.runs()).toBe(2);
    slow.resolve(DONE);
    await sleeper;
    expect(await d.deliver()).toMatchObject({ kind: 'busy' });
    quick.resolve(DONE);
    await successor;
    expect(await d.deliver()).toEqual({ kind: 'already-done' });
  });
});

test('a delivery that fails after another has taken over frees nothing', async () => {
  const d = deliveries();
  const slow = Promise.withResolvers<WorkEnd>();
  const sleeper = d.deliver(() => slow.promise);
  await expect.poll(() => d.runs()).toBe(1);
  d.ambient.advance(15_001);
  void d.deliver(() => new Promise(() => {}));
  await expect.poll(() => d.runs()).toBe(2);
  slow.resolve({ kind: 'undone', reason: 'later' });
  await sleeper;
  expect(await d.deliver()).toMatchObject({ kind: 'busy' });
  expect(d.kinds).not.toContain('released');
});

describe('contention', () => {
  function contended(losses: number) {
    const d = deliveries();
    const write = d.store.write.bind(d.store);
    let left = losses;
    d.store.write = async (attempted: Write) => {
      left -= 1;
      return left >= 0 ? { kind: 'refused', found: undefined } : write(attempted);
    };
    return d;
  }

  test('that is won in the very last round lets the work begin', async () => {
    expect(await contended(4).deliver()).toEqual(DONE);
  });

  test('without an end is busy', async () => {
    expect(await contended(100).deliver()).toEqual({ kind: 'busy', retryAfterMs: 1_000 });
  });
});

describe('an item that cannot be used', () => {
  test.each([
    ['of newer code', { kind: 'refused', found: { status: 'newer', v: 2, pk: 'pk' } }],
    ['that blames records which it was not given', { kind: 'blocked', by: [] }],
  ] as const)('%s is a store that cannot be used', async (_, result) => {
    const d = deliveries();
    d.store.write = async () => result;
    await expect(d.deliver()).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(d.runs()).toBe(0);
  });
});
