import { describe, expect, test } from 'vitest';
import { DAY_MS, DONE, done, failing, LEASE_MS, RETENTION_MS, undone, unit } from '../support/unit-of-work.ts';

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
