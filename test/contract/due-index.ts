import { beforeEach, expect, it } from 'vitest';
import type { Due, Store } from '../../lib/idempotency/store.ts';
import { after, type EpochMs } from '../../lib/idempotency/time.ts';
import { nameOf, recordName } from '../../lib/stores/placement.ts';
import {
  claim,
  claimed,
  freshPk,
  gate,
  handOff,
  LEASE_UNTIL,
  lease,
  NOW,
  quarantine,
  reach,
  release,
  settle,
  takeOver,
} from './samples.ts';

const FAR = after(NOW, 365 * 86_400_000);

/** Every entry of a shard up to a moment, page by page. */
export async function dueOf(store: Store, shard: number, until: EpochMs, limit: number): Promise<Due[]> {
  const due: Due[] = [];
  let from: string | undefined;
  do {
    const page = await store.due(shard, until, limit, from);
    expect(page.due.length).toBeLessThanOrEqual(limit);
    due.push(...page.due);
    from = page.next;
  } while (from !== undefined);
  return due;
}

export async function dueOfAllShards(store: Store, until: EpochMs = FAR, limit = 100): Promise<Due[]> {
  const shards = Array.from({ length: store.shards }, (_, shard) => dueOf(store, shard, until, limit));
  return (await Promise.all(shards)).flat();
}

export function dueIndex(makeStore: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = makeStore();
  });

  const entryOf = async (pk: string) => (await dueOfAllShards(store)).filter((due) => nameOf(due) === pk);

  it('an open claim is listed once, in one shard, by its due moment', async () => {
    const pk = await reach(store, 'claimed');
    expect(await entryOf(pk)).toStrictEqual([{ kind: 'claim', pk, dueAt: LEASE_UNTIL }]);
  });

  it.each([
    { what: 'a gate leaves the due moment', from: 'claimed', write: gate, dueAt: LEASE_UNTIL },
    { what: 'a take-over moves it to the new lease', from: 'claimed', write: takeOver, dueAt: after(NOW, 60_000) },
    { what: 'a hand-off makes it due at once', from: 'executing', write: handOff, dueAt: after(NOW, 900) },
    { what: 'a lease moves it on', from: 'executing', write: lease, dueAt: after(NOW, 30_000) },
    { what: 'a quarantine moves it far', from: 'ungated', write: quarantine, dueAt: after(NOW, 3_600_000) },
  ] as const)('$what', async ({ from, write, dueAt }) => {
    const pk = await reach(store, from);
    await store.write(write(pk));
    expect(await entryOf(pk)).toStrictEqual([{ kind: 'claim', pk, dueAt }]);
  });

  it('a settled claim leaves the index', async () => {
    const pk = await reach(store, 'unknown');
    await store.write(settle(pk));
    expect(await entryOf(pk)).toStrictEqual([]);
  });

  it('a released claim leaves the index', async () => {
    const pk = await reach(store, 'claimed');
    await store.write(release(pk));
    expect(await entryOf(pk)).toStrictEqual([]);
  });

  it('a claim is listed from its due millisecond on', async () => {
    const pk = await reach(store, 'claimed');
    const until = async (moment: EpochMs) => (await dueOfAllShards(store, moment)).some((due) => nameOf(due) === pk);
    expect(await until(after(LEASE_UNTIL, -1))).toBe(false);
    expect(await until(LEASE_UNTIL)).toBe(true);
  });

  it('claims spread over the shards, and each shard lists its own oldest first, whatever the page size', async () => {
    const claims = Array.from({ length: 60 }, (_, n) => ({
      kind: 'claim' as const,
      pk: freshPk(),
      dueAt: after(NOW, -1_000 + ((n * 37) % 60)),
    }));
    await Promise.all(claims.map(({ pk, dueAt }) => store.write(claim({ ...claimed(pk), dueAt }))));
    const mine = new Set(claims.map(({ pk }) => pk));
    const listed: Due[] = [];
    let inhabited = 0;
    for (let shard = 0; shard < store.shards; shard++) {
      const small = (await dueOf(store, shard, FAR, 3)).filter((due) => mine.has(nameOf(due)));
      const large = (await dueOf(store, shard, FAR, 1_000)).filter((due) => mine.has(nameOf(due)));
      expect(small).toStrictEqual(large);
      expect(small).toStrictEqual(small.toSorted((a, b) => a.dueAt - b.dueAt));
      if (small.length > 0) inhabited += 1;
      listed.push(...small);
    }
    expect(inhabited).toBeGreaterThan(1);
    const byName = (a: Due, b: Due) => (nameOf(a) < nameOf(b) ? -1 : 1);
    expect(listed.toSorted(byName)).toStrictEqual(claims.toSorted(byName));
  });

  it('claims that are due in the same millisecond are all listed once', async () => {
    const pks = Array.from({ length: 12 }, () => freshPk());
    await Promise.all(pks.map((pk) => store.write(claim(claimed(pk)))));
    const listed: string[] = [];
    for (let shard = 0; shard < store.shards; shard++) listed.push(...(await dueOf(store, shard, FAR, 1)).map(nameOf));
    expect(listed.filter((pk) => pks.includes(pk)).toSorted()).toStrictEqual(pks.toSorted());
  });

  it('a record is listed while it is put with a due moment, beside the claims', async () => {
    const at = { table: 'payments/eu', key: freshPk() };
    const listed = async () => (await dueOfAllShards(store)).filter((due) => nameOf(due) === recordName(at));
    await store.commit([{ ...at, expect: 'absent', put: { n: 1 }, dueAt: NOW }]);
    expect(await listed()).toStrictEqual([{ kind: 'record', ...at, dueAt: NOW }]);
    await store.commit([{ ...at, expect: { n: 1 }, put: { n: 2 }, dueAt: after(NOW, 5) }]);
    expect(await listed()).toStrictEqual([{ kind: 'record', ...at, dueAt: after(NOW, 5) }]);
    await store.commit([{ ...at, expect: { n: 2 }, put: { n: 3 } }]);
    expect(await listed()).toStrictEqual([]);
    expect(await store.record(at)).toStrictEqual({ n: 3 });
  });

  it('a due record that is removed leaves the index', async () => {
    const at = { table: 'payments', key: freshPk() };
    await store.commit([{ ...at, expect: 'absent', put: {}, dueAt: NOW }]);
    await store.commit([{ ...at, expect: {}, remove: true }]);
    expect((await dueOfAllShards(store)).map(nameOf)).not.toContain(recordName(at));
  });

  it('a shard in which nothing is due has one empty page', async () => {
    expect(await store.due(0, after(NOW, -365 * 86_400_000), 10)).toStrictEqual({ due: [] });
  });
}
