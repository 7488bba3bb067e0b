import type { Store } from '../../lib/idempotency/store.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import type { ReceiptQueue } from '../../lib/payments/receipts.ts';

/** Where a process dies: at its `nth` call of a port, before that call takes effect or after. */
export interface CrashPoint {
  readonly nth: number;
  readonly when: 'before' | 'after';
}

export interface Mortal {
  readonly store: Store;
  readonly provider: PaymentProvider;
  readonly receipts: ReceiptQueue;
  /** The name of the call at which the process died; never resolves for one that lives on. */
  readonly death: Promise<string>;
}

/** The ports of one process that dies at the point: no call of a dead process ever returns. */
export function mortal(
  ports: { readonly store: Store; readonly provider: PaymentProvider; readonly receipts: ReceiptQueue },
  point: CrashPoint,
): Mortal {
  const death = Promise.withResolvers<string>();
  const never = new Promise<never>(() => {});
  let calls = 0;
  async function through<T>(name: string, call: () => Promise<T>): Promise<T> {
    calls += 1;
    if (calls > point.nth) return never;
    if (calls < point.nth) return call();
    if (point.when === 'after') await call();
    death.resolve(name);
    return never;
  }
  const { store, provider, receipts } = ports;
  return {
    death: death.promise,
    store: {
      shards: store.shards,
      read: (pk) => through('read', () => store.read(pk)),
      write: (write, alongside) => through(write.kind, () => store.write(write, alongside)),
      due: (...page) => through('due', () => store.due(...page)),
      record: (at) => through('record', () => store.record(at)),
      commit: (writes) => through('commit', () => store.commit(writes)),
    },
    provider: {
      keyRetentionMs: provider.keyRetentionMs,
      perform: (call) => through('perform', () => provider.perform(call)),
      lookup: (call) => through('lookup', () => provider.lookup(call)),
      close: (call) => through('close', () => provider.close(call)),
    },
    receipts: { send: (job) => through('send', () => receipts.send(job)) },
  };
}
