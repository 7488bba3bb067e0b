import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../lib/idempotency/errors.ts';
import type { EpochMs } from '../../lib/idempotency/time.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { claim, claimed, EXPIRED, freshKey, freshPk, gate, NOW, reach, settle } from '../contract/samples.ts';

function full(maxItems: number) {
  let time: EpochMs = NOW;
  return {
    store: memoryStore({ now: () => time, maxItems }),
    at: (moment: EpochMs) => {
      time = moment;
    },
  };
}

it('a full store refuses a new key and forgets nothing', async () => {
  const { store } = full(2);
  const pks = [await reach(store, 'executing'), await reach(store, 'done')];
  await expect(store.write(claim(claimed(freshPk())))).rejects.toThrow(StoreUnavailableError);
  await expect(store.write(claim(claimed(freshPk())))).rejects.toThrow(/maximum of 2 items.*raise maxItems/);
  expect((await Promise.all(pks.map((pk) => store.read(pk)))).map((found) => found?.status)).toStrictEqual([
    'executing',
    'done',
  ]);
});

it('a full store makes room by forgetting settled claims that have expired, and only those', async () => {
  const { store, at } = full(4);
  const open = await reach(store, 'unknown');
  const done = await reach(store, 'done');
  const order = freshKey();
  await store.commit([{ ...order, expect: 'absent', put: {} }]);
  const late = await reach(store, 'executing');
  at(EXPIRED);
  const fresh = freshPk();
  expect((await store.write(claim(claimed(fresh)))).kind).toBe('applied');
  expect(await store.read(done)).toBeUndefined();
  expect((await store.read(open))?.status).toBe('unknown');
  expect((await store.read(late))?.status).toBe('executing');
  expect(await store.record(order)).toStrictEqual({});
});

it('an expired claim stays for as long as there is room', async () => {
  const { store, at } = full(2);
  const done = await reach(store, 'done');
  at(EXPIRED);
  await reach(store, 'claimed');
  expect((await store.read(done))?.status).toBe('done');
});

it('a full store still settles, and claims an expired key anew', async () => {
  const { store, at } = full(2);
  const [open, done] = [await reach(store, 'executing'), await reach(store, 'done')];
  expect((await store.write(settle(open))).kind).toBe('applied');
  at(EXPIRED);
  expect((await store.write(claim(claimed(done, 'op-2', 'other'), EXPIRED))).kind).toBe('applied');
});

it('a full store refuses new records, with and without a claim, and then writes nothing', async () => {
  const { store } = full(1);
  const pk = await reach(store, 'claimed');
  const order = freshKey();
  const put = { ...order, expect: 'absent', put: {} } as const;
  await expect(store.commit([put])).rejects.toThrow(StoreUnavailableError);
  await expect(store.write(gate(pk), [put])).rejects.toThrow(StoreUnavailableError);
  expect((await store.read(pk))?.status).toBe('claimed');
  expect(await store.record(order)).toBeUndefined();
});

it('a store holds ten thousand items unless it is told otherwise', async () => {
  const store = memoryStore({ now: () => NOW });
  const claims = Array.from({ length: 10_000 }, (_, n) => store.write(claim(claimed(`pk-${n}`))));
  await Promise.all(claims);
  await expect(store.write(claim(claimed('one too many')))).rejects.toThrow(/10000 items/);
});
