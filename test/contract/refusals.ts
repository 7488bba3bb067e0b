import { beforeAll, expect, it } from 'vitest';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import { epochMs } from '../../lib/idempotency/time.ts';
import type { Write } from '../../lib/idempotency/transition.ts';
import {
  claim,
  claimed,
  EXPIRED,
  freshKey,
  gate,
  handOff,
  LEASE_UNTIL,
  lease,
  quarantine,
  reach,
  release,
  releaseUngated,
  type State,
  settle,
  takeOver,
  ungated,
} from './samples.ts';

interface Row {
  readonly write: Write['kind'];
  readonly because: string;
  readonly on: State;
  readonly tried: (pk: string) => Write;
}

const rival = (pk: string) => claimed(pk, 'op-2', 'rival');
const otherGeneration = { operation: 'op-0' };
const otherOwner = { owner: 'rival' };
const generation = 'it is of another generation';
const owner = 'somebody else owns it';

/** Each clause of each condition, violated alone. */
const rows: readonly Row[] = [
  { write: 'claim', because: 'it is claimed', on: 'claimed', tried: (pk) => claim(rival(pk), EXPIRED) },
  { write: 'claim', because: 'it is executing', on: 'executing', tried: (pk) => claim(rival(pk), EXPIRED) },
  { write: 'claim', because: 'it is executing ungated', on: 'ungated', tried: (pk) => claim(rival(pk), EXPIRED) },
  { write: 'claim', because: 'its outcome is unknown', on: 'unknown', tried: (pk) => claim(rival(pk), EXPIRED) },
  {
    write: 'claim',
    because: 'it is settled and expires in a millisecond',
    on: 'done',
    tried: (pk) => claim(rival(pk), epochMs(EXPIRED - 1)),
  },
  { write: 'take-over', because: 'there is none', on: 'absent', tried: takeOver },
  { write: 'take-over', because: 'its gate has passed', on: 'executing', tried: takeOver },
  { write: 'take-over', because: 'it is settled', on: 'done', tried: takeOver },
  {
    write: 'take-over',
    because: generation,
    on: 'claimed',
    tried: (pk) => ({ ...takeOver(pk), ...otherGeneration }),
  },
  {
    write: 'take-over',
    because: 'its owner has changed since it was read',
    on: 'claimed',
    tried: (pk) => ({ ...takeOver(pk), from: 'rival' }),
  },
  {
    write: 'take-over',
    because: 'the request is another one',
    on: 'claimed',
    tried: (pk) => ({ ...takeOver(pk), fingerprint: 'sha256:y' as Fingerprint }),
  },
  {
    write: 'take-over',
    because: 'its lease ends in this very millisecond',
    on: 'claimed',
    tried: (pk) => ({ ...takeOver(pk), now: LEASE_UNTIL }),
  },
  { write: 'gate', because: 'there is none', on: 'absent', tried: gate },
  { write: 'gate', because: 'it was handed off', on: 'unknown', tried: gate },
  { write: 'gate', because: 'it is settled', on: 'done', tried: gate },
  { write: 'gate', because: generation, on: 'claimed', tried: (pk) => ({ ...gate(pk), ...otherGeneration }) },
  { write: 'gate', because: owner, on: 'claimed', tried: (pk) => ({ ...gate(pk), ...otherOwner }) },
  { write: 'release', because: 'its gate has passed', on: 'executing', tried: release },
  { write: 'release', because: 'it was handed off', on: 'unknown', tried: release },
  { write: 'release', because: 'it is settled', on: 'done', tried: release },
  { write: 'release', because: generation, on: 'claimed', tried: (pk) => ({ ...release(pk), ...otherGeneration }) },
  { write: 'release', because: owner, on: 'claimed', tried: (pk) => ({ ...release(pk), ...otherOwner }) },
  {
    write: 'release',
    because: 'its lease ends in this very millisecond',
    on: 'claimed',
    tried: (pk) => ({ ...release(pk), lapsedAt: LEASE_UNTIL }),
  },
  { write: 'release-ungated', because: 'it is claimed', on: 'claimed', tried: releaseUngated },
  { write: 'release-ungated', because: 'its gate has passed', on: 'executing', tried: releaseUngated },
  { write: 'release-ungated', because: 'it is settled', on: 'done', tried: releaseUngated },
  {
    write: 'release-ungated',
    because: generation,
    on: 'ungated',
    tried: (pk) => ({ ...releaseUngated(pk), ...otherGeneration }),
  },
  {
    write: 'release-ungated',
    because: owner,
    on: 'ungated',
    tried: (pk) => ({ ...releaseUngated(pk), ...otherOwner }),
  },
  { write: 'hand-off', because: 'there is none', on: 'absent', tried: handOff },
  { write: 'hand-off', because: 'its gate has not passed', on: 'claimed', tried: handOff },
  { write: 'hand-off', because: 'it has no gate', on: 'ungated', tried: handOff },
  { write: 'hand-off', because: 'it is settled', on: 'done', tried: handOff },
  { write: 'hand-off', because: generation, on: 'executing', tried: (pk) => ({ ...handOff(pk), ...otherGeneration }) },
  { write: 'hand-off', because: owner, on: 'executing', tried: (pk) => ({ ...handOff(pk), ...otherOwner }) },
  { write: 'settle', because: 'there is none', on: 'absent', tried: settle },
  { write: 'settle', because: 'its gate has not passed', on: 'claimed', tried: settle },
  {
    write: 'settle',
    because: 'its gate has not passed, and somebody else owns it',
    on: 'claimed',
    tried: (pk) => ({ ...settle(pk), ...otherOwner }),
  },
  {
    write: 'settle',
    because: 'it is claimed in another generation',
    on: 'claimed',
    tried: (pk) => ({ ...settle(pk), owner: 'me', ...otherGeneration }),
  },
  { write: 'settle', because: generation, on: 'executing', tried: (pk) => ({ ...settle(pk), ...otherGeneration }) },
  {
    write: 'settle',
    because: 'it is settled with another result',
    on: 'done',
    tried: (pk) => ({ ...settle(pk), outcome: { result: 'declined', ref: 'pi_1' } }),
  },
  {
    write: 'settle',
    because: 'it is settled with another object of the provider',
    on: 'done',
    tried: (pk) => ({ ...settle(pk), outcome: { result: 'performed', ref: 'pi_2' } }),
  },
  { write: 'lease', because: 'there is none', on: 'absent', tried: lease },
  { write: 'lease', because: 'it is settled', on: 'done', tried: lease },
  { write: 'lease', because: generation, on: 'executing', tried: (pk) => ({ ...lease(pk), ...otherGeneration }) },
  {
    write: 'lease',
    because: 'another reconciler moved it on',
    on: 'executing',
    tried: (pk) => ({ ...lease(pk), dueWas: epochMs(LEASE_UNTIL - 1) }),
  },
  { write: 'quarantine', because: 'there is none', on: 'absent', tried: quarantine },
  { write: 'quarantine', because: 'it is settled', on: 'done', tried: quarantine },
  {
    write: 'quarantine',
    because: generation,
    on: 'claimed',
    tried: (pk) => ({ ...quarantine(pk), ...otherGeneration }),
  },
];

export function refusals(makeStore: () => Store): void {
  let store: Store;
  beforeAll(() => {
    store = makeStore();
  });

  it.each(rows)('$write of a claim is refused because $because', async ({ on, tried }) => {
    const pk = await reach(store, on);
    const found = await store.read(pk);
    expect(await store.write(tried(pk))).toStrictEqual({ kind: 'refused', found });
    expect(await store.read(pk)).toStrictEqual(found);
  });

  it.each(rows)('$write, with a domain write, is refused whole because $because', async ({ on, tried }) => {
    const pk = await reach(store, on);
    const at = freshKey();
    const found = await store.read(pk);
    expect(await store.write(tried(pk), [{ ...at, expect: 'absent', put: {} }])).toStrictEqual({
      kind: 'refused',
      found,
    });
    expect(await store.read(pk)).toStrictEqual(found);
    expect(await store.record(at)).toBeUndefined();
  });
}

const claimOf = (of: typeof claimed | typeof ungated) => (pk: string) => claim(of(pk));

/** The same write again, on the item that its first attempt left behind. */
const landed: readonly { readonly behaviour: string; readonly on: State; readonly again: (pk: string) => Write }[] = [
  { behaviour: 'a claim meets its own item', on: 'claimed', again: claimOf(claimed) },
  { behaviour: 'an ungated claim meets its own item', on: 'ungated', again: claimOf(ungated) },
  { behaviour: 'a claim meets its own item behind the gate', on: 'executing', again: claimOf(claimed) },
  { behaviour: 'a gate meets its own item', on: 'executing', again: gate },
  { behaviour: 'a release meets nothing', on: 'absent', again: release },
  { behaviour: 'a release of an ungated claim meets nothing', on: 'absent', again: releaseUngated },
  { behaviour: 'a hand-off meets its own item', on: 'unknown', again: handOff },
  { behaviour: 'a settlement meets its own item', on: 'done', again: settle },
  {
    behaviour: 'a settlement meets the same outcome from another path',
    on: 'done',
    again: (pk) => ({ ...settle(pk), settledBy: 'webhook' }),
  },
  {
    behaviour: 'a claim meets its own settled item, even after its expiry',
    on: 'done',
    again: (pk) => claim(claimed(pk), EXPIRED),
  },
];

export function recognitions(makeStore: () => Store): void {
  let store: Store;
  beforeAll(() => {
    store = makeStore();
  });

  it.each(landed)('$behaviour', async ({ on, again }) => {
    const pk = await reach(store, on);
    const found = await store.read(pk);
    expect(await store.write(again(pk))).toStrictEqual({ kind: 'already', claim: found });
    expect(await store.read(pk)).toStrictEqual(found);
  });

  it('a take-over meets its own item', async () => {
    const pk = await reach(store, 'claimed');
    expect(await store.write(takeOver(pk))).toStrictEqual({ kind: 'applied' });
    expect(await store.write(takeOver(pk))).toStrictEqual({ kind: 'already', claim: await store.read(pk) });
  });

  it('a take-over of my own claim changes nothing, not even its lease', async () => {
    const pk = await reach(store, 'claimed');
    const found = await store.read(pk);
    expect(await store.write({ ...takeOver(pk), owner: 'me' })).toStrictEqual({ kind: 'already', claim: found });
    expect(await store.read(pk)).toStrictEqual(found);
  });

  it('a transaction meets its own domain records, whose conditions it makes fail itself', async () => {
    const pk = await reach(store, 'claimed');
    const lock = { ...freshKey(), expect: 'absent', put: { operation: 'op-1' } } as const;
    expect(await store.write(gate(pk), [lock])).toStrictEqual({ kind: 'applied' });
    expect(await store.write(gate(pk), [lock])).toStrictEqual({ kind: 'already', claim: await store.read(pk) });
  });
}
