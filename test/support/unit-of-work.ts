import type { Protocol, ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import { once, type WorkEnd } from '../../lib/middy/once.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { budgetOf, fakeAmbient } from './fake-ambient.ts';
import { faultyStore } from './faulty-store.ts';

export const DAY_MS = 24 * 60 * 60 * 1_000;
export const RETENTION_MS = 35 * DAY_MS;
export const INVOCATION_MS = 20_000;
export const LEASE_MS = INVOCATION_MS + 5_000;

export const DONE: WorkEnd = { kind: 'done' };
export const done = async () => DONE;
export const undone = async (): Promise<WorkEnd> => ({ kind: 'undone', reason: 'not yet' });
export const failing = () => Promise.reject(new Error('it failed'));

/** One unit of work, delivered as often as a test likes. */
export function unit(wrap: (store: Store) => Store = (store) => store) {
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
