import { beforeAll, expect, it } from 'vitest';
import type { Claim } from '../../lib/idempotency/claim.ts';
import type { DomainWrite, Store } from '../../lib/idempotency/store.ts';
import { after } from '../../lib/idempotency/time.ts';
import type { Write } from '../../lib/idempotency/transition.ts';
import {
  claim,
  claimed,
  EXPIRED,
  EXPIRES_AT,
  freshKey,
  freshPk,
  GATE,
  gate,
  handOff,
  LAPSED,
  lease,
  NOW,
  openAs,
  quarantine,
  RESPONSE,
  reach,
  release,
  releaseUngated,
  type State,
  settle,
  takeOver,
  ungated,
} from './samples.ts';

interface Row {
  readonly behaviour: string;
  readonly from: State;
  readonly write: (pk: string) => Write;
  readonly leaves: (pk: string) => Claim | undefined;
}

const identity = (pk: string) => {
  const { v, operation, owner, fingerprint, scope, createdAt } = claimed(pk);
  return { v, pk, operation, owner, fingerprint, scope, createdAt };
};
const { outcome } = settle('');
const doneAs = (pk: string, more: object) =>
  ({
    ...identity(pk),
    status: 'done',
    outcome,
    response: RESPONSE,
    settledBy: 'owner',
    expiresAt: EXPIRES_AT,
    ...more,
  }) as Claim;
const executing = { status: 'executing', gate: GATE } as const;
const handedOff = { leaseUntil: after(NOW, 900), dueAt: after(NOW, 900) };

const rows: readonly Row[] = [
  { behaviour: 'a first request claims its key', from: 'absent', write: (pk) => claim(claimed(pk)), leaves: claimed },
  {
    behaviour: 'a handler without an effect claims as executing',
    from: 'absent',
    write: (pk) => claim(ungated(pk)),
    leaves: ungated,
  },
  {
    behaviour: 'a settled key is claimed anew from the second in which it expires',
    from: 'done',
    write: (pk) => claim(claimed(pk, 'op-2', 'other'), EXPIRED),
    leaves: (pk) => claimed(pk, 'op-2', 'other'),
  },
  {
    behaviour: 'a lapsed claim is taken over in the same generation',
    from: 'claimed',
    write: takeOver,
    leaves: (pk) => openAs(pk, { owner: 'heir', leaseUntil: after(NOW, 60_000), dueAt: after(NOW, 60_000) }) as Claim,
  },
  {
    behaviour: 'the owner passes the gate',
    from: 'claimed',
    write: gate,
    leaves: (pk) => openAs(pk, executing) as Claim,
  },
  { behaviour: 'the owner releases before the gate', from: 'claimed', write: release, leaves: () => undefined },
  {
    behaviour: 'a claim whose lease has lapsed is released',
    from: 'claimed',
    write: (pk) => ({ ...release(pk), lapsedAt: LAPSED }),
    leaves: () => undefined,
  },
  {
    behaviour: 'the owner of an ungated claim releases it',
    from: 'ungated',
    write: releaseUngated,
    leaves: () => undefined,
  },
  {
    behaviour: 'the owner hands off what it does not know',
    from: 'executing',
    write: handOff,
    leaves: (pk) => openAs(pk, { status: 'unknown', gate: GATE, ...handedOff }) as Claim,
  },
  {
    behaviour: 'the owner hands off with the object of the provider that it learned',
    from: 'executing',
    write: (pk) => ({ ...handOff(pk), providerRef: 'pi_1' }),
    leaves: (pk) => openAs(pk, { status: 'unknown', gate: { ...GATE, providerRef: 'pi_1' }, ...handedOff }) as Claim,
  },
  {
    behaviour: 'an executing claim is settled',
    from: 'executing',
    write: settle,
    leaves: (pk) => doneAs(pk, { gate: GATE }),
  },
  {
    behaviour: 'an ungated claim is settled without a gate',
    from: 'ungated',
    write: settle,
    leaves: (pk) => doneAs(pk, {}),
  },
  {
    behaviour: 'an unknown claim is settled by anybody who holds the answer',
    from: 'unknown',
    write: (pk) => ({ ...settle(pk), settledBy: 'webhook', outcome: { result: 'declined' } }),
    leaves: (pk) => doneAs(pk, { gate: GATE, settledBy: 'webhook', outcome: { result: 'declined' } }),
  },
  {
    behaviour: 'work that needs no gate is settled by its owner',
    from: 'claimed',
    write: (pk) => ({ ...settle(pk), owner: 'me' }),
    leaves: (pk) => doneAs(pk, {}),
  },
  {
    behaviour: 'an executing claim is settled whoever its owner is',
    from: 'executing',
    write: (pk) => ({ ...settle(pk), owner: 'rival' }),
    leaves: (pk) => doneAs(pk, { gate: GATE }),
  },
  {
    behaviour: 'the reconciler counts its try and moves on the due moment',
    from: 'executing',
    write: (pk) => lease(pk),
    leaves: (pk) => openAs(pk, { ...executing, attempts: 1, dueAt: after(NOW, 30_000) }) as Claim,
  },
  {
    behaviour: 'a claim that no machine can settle is quarantined',
    from: 'ungated',
    write: quarantine,
    leaves: (pk) => openAs(pk, { status: 'executing', quarantine: 'too-old', dueAt: after(NOW, 3_600_000) }) as Claim,
  },
];

export function transitions(makeStore: () => Store): void {
  let store: Store;
  beforeAll(() => {
    store = makeStore();
  });

  it.each(rows)('$behaviour', async ({ from, write, leaves }) => {
    const pk = await reach(store, from);
    expect(await store.write(write(pk))).toStrictEqual({ kind: 'applied' });
    expect(await store.read(pk)).toStrictEqual(leaves(pk));
  });

  it.each(rows)('$behaviour, together with a domain write', async ({ from, write, leaves }) => {
    const pk = await reach(store, from);
    const at = freshKey();
    const domain: DomainWrite = { ...at, expect: 'absent', put: { by: pk } };
    expect(await store.write(write(pk), [domain])).toStrictEqual({ kind: 'applied' });
    expect(await store.read(pk)).toStrictEqual(leaves(pk));
    expect(await store.record(at)).toStrictEqual({ by: pk });
  });

  it('a quarantined claim is settled and leaves nothing of its quarantine behind', async () => {
    const pk = await reach(store, 'unknown');
    await store.write(quarantine(pk));
    await store.write(settle(pk));
    expect(await store.read(pk)).toStrictEqual(doneAs(pk, { gate: GATE }));
  });

  it('a key that was never claimed is not found', async () => {
    expect(await store.read(freshPk())).toBeUndefined();
  });

  it('what a caller does to its own objects never reaches the store', async () => {
    const mine = { ...claimed(), scope: 'alice' };
    const body = Uint8Array.of(1, 2, 3);
    const command = { orderId: 'o-1', lines: ['a'] };
    await store.write(claim(mine));
    await store.write({ ...gate(mine.pk), gate: { ...GATE, command } });
    await store.write({ ...settle(mine.pk), response: { ...RESPONSE, body } });
    const before = structuredClone(await store.read(mine.pk));
    mine.scope = 'mallory';
    body[0] = 9;
    command.lines.push('b');
    expect(await store.read(mine.pk)).toStrictEqual(before);
    const found = (await store.read(mine.pk)) as { scope: string };
    found.scope = 'mallory';
    expect(await store.read(mine.pk)).toStrictEqual(before);
  });
}
