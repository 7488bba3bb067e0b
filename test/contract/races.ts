import { beforeAll, expect, it } from 'vitest';
import type { Store, WriteResult } from '../../lib/idempotency/store.ts';
import { claim, claimed, freshKey, freshPk, gate, lease, reach, settle, takeOver } from './samples.ts';

const RIVALS = Array.from({ length: 20 }, (_, n) => `rival-${n}`);

const ofKind = (results: readonly WriteResult[], kind: WriteResult['kind']) =>
  results.filter((result) => result.kind === kind);

export function races(makeStore: () => Store): void {
  let store: Store;
  beforeAll(() => {
    store = makeStore();
  });

  /** Runs them all at once; whoever lost must have been shown the winner's item. */
  async function exactlyOneWins(pk: string, run: (rival: string) => Promise<WriteResult>) {
    const results = await Promise.all(RIVALS.map(run));
    const winner = await store.read(pk);
    expect(ofKind(results, 'applied')).toStrictEqual([{ kind: 'applied' }]);
    expect(ofKind(results, 'refused')).toStrictEqual(RIVALS.slice(1).map(() => ({ kind: 'refused', found: winner })));
  }

  it('of 20 first requests exactly one claims the key', async () => {
    const pk = freshPk();
    await exactlyOneWins(pk, (rival) => store.write(claim(claimed(pk, rival, rival))));
  });

  it('of 20 first requests with a domain write each exactly one claims the key', async () => {
    const pk = freshPk();
    await exactlyOneWins(pk, (rival) =>
      store.write(claim(claimed(pk, rival, rival)), [{ table: 'seen', key: pk + rival, expect: 'absent', put: {} }]),
    );
  });

  it('a lapsed lease is taken over exactly once', async () => {
    const pk = await reach(store, 'claimed');
    await exactlyOneWins(pk, (rival) => store.write({ ...takeOver(pk), owner: rival }));
  });

  it('of 20 different outcomes exactly one is written down', async () => {
    const pk = await reach(store, 'unknown');
    await exactlyOneWins(pk, (rival) => store.write({ ...settle(pk), outcome: { result: 'performed', ref: rival } }));
  });

  it('of 20 reconcilers exactly one leases a claim', async () => {
    const pk = await reach(store, 'executing');
    await exactlyOneWins(pk, () => store.write(lease(pk)));
  });

  it('of 20 keys for one order exactly one passes the gate, and the others keep their claims', async () => {
    const order = freshKey();
    const pks = await Promise.all(RIVALS.map(() => reach(store, 'claimed')));
    const results = await Promise.all(
      pks.map((pk) => store.write(gate(pk), [{ ...order, expect: 'absent', put: { lockedBy: pk } }])),
    );
    const record = await store.record(order);
    expect(ofKind(results, 'applied')).toHaveLength(1);
    expect(ofKind(results, 'blocked')).toStrictEqual(
      RIVALS.slice(1).map(() => ({ kind: 'blocked', by: [{ ...order, record }] })),
    );
    const found = await Promise.all(pks.map((pk) => store.read(pk)));
    expect(found.filter((claim) => claim?.status === 'executing').map((claim) => claim?.pk)).toStrictEqual([
      record?.['lockedBy'],
    ]);
    expect(found.filter((claim) => claim?.status === 'claimed')).toHaveLength(RIVALS.length - 1);
  });

  it('of a release and a gate exactly one happens', async () => {
    const pk = await reach(store, 'claimed');
    const [released, gated] = await Promise.all([
      store.write({ kind: 'release', pk, operation: 'op-1', owner: 'me' }),
      store.write(gate(pk)),
    ]);
    expect([released.kind, gated.kind].toSorted()).toStrictEqual(['applied', 'refused']);
  });
}
