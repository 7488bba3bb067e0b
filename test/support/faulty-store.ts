import { StoreUnavailableError } from '../../lib/idempotency/errors.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import type { Write } from '../../lib/idempotency/transition.ts';

/** A call of the port, with the kind of its write. */
export type StoreCall = 'read' | 'record' | 'commit' | 'due' | Write['kind'];

/** `lost`: the call takes effect and its reply never comes; `failed`: it takes none. */
type FaultKind = 'failed' | 'lost';

interface Fault {
  readonly on: StoreCall;
  /** Which of the calls that are still to come, from 1. */
  nth: number;
  readonly meet: () => Promise<FaultKind | 'passed'>;
}

export interface FaultyStore extends Store {
  readonly calls: readonly StoreCall[];
  /** The `nth` call of this kind from now on throws, before or after it took effect. */
  fail(on: StoreCall, kind?: FaultKind, nth?: number): void;
  /** The `nth` call of this kind from now on waits before it takes effect. */
  pause(on: StoreCall, nth?: number): Pause;
  /** Every call throws until further notice. */
  isDown: boolean;
}

export interface Pause {
  /** Resolves when somebody has come to the call. */
  readonly reached: Promise<void>;
  goOn(): void;
}

/** A store that fails where it is told to. */
export function faultyStore(inner: Store): FaultyStore {
  const calls: StoreCall[] = [];
  const faults: Fault[] = [];

  async function through<T>(on: StoreCall, call: () => Promise<T>): Promise<T> {
    calls.push(on);
    if (store.isDown) throw down(on);
    const fault = nextFault(faults, on);
    const kind = fault === undefined ? 'passed' : await fault.meet();
    if (kind === 'failed') throw down(on);
    const result = await call();
    if (kind === 'lost') throw down(on);
    return result;
  }

  const store: FaultyStore = {
    calls,
    isDown: false,
    shards: inner.shards,
    read: (pk) => through('read', () => inner.read(pk)),
    write: (write, alongside) => through(write.kind, () => inner.write(write, alongside)),
    due: (...page) => through('due', () => inner.due(...page)),
    record: (at) => through('record', () => inner.record(at)),
    commit: (writes) => through('commit', () => inner.commit(writes)),
    fail(on, kind = 'failed', nth = 1) {
      faults.push({ on, nth, meet: async () => kind });
    },
    pause(on, nth = 1) {
      const reached = Promise.withResolvers<void>();
      const resumed = Promise.withResolvers<void>();
      faults.push({
        on,
        nth,
        async meet() {
          reached.resolve();
          await resumed.promise;
          return 'passed';
        },
      });
      return { reached: reached.promise, goOn: resumed.resolve };
    },
  };
  return store;
}

const down = (on: StoreCall): StoreUnavailableError => new StoreUnavailableError(`The store did not answer a ${on}.`);

/** Counts the call down, and takes the fault out whose turn it is. */
function nextFault(faults: Fault[], on: StoreCall): Fault | undefined {
  const waiting = faults.filter((fault) => fault.on === on);
  for (const fault of waiting) fault.nth -= 1;
  const fault = waiting.find(({ nth }) => nth === 0);
  if (fault !== undefined) faults.splice(faults.indexOf(fault), 1);
  return fault;
}
