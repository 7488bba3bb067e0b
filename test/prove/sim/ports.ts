import type { EffectCall, Evidence } from '../../../lib/idempotency/effect.ts';
import type { DomainWrite, DuePage, Store } from '../../../lib/idempotency/store.ts';
import { type Ambient, epochMs } from '../../../lib/idempotency/time.ts';
import type { PaymentCommand } from '../../../lib/payments/command.ts';
import type { PaymentProvider } from '../../../lib/payments/provider.ts';
import type { ReceiptQueue } from '../../../lib/payments/receipts.ts';
import { KEY_RETENTION_MS } from './scenario.ts';
import type { World } from './world.ts';

type Call = EffectCall<PaymentCommand>;

/** Half a jitter: chance belongs to the scheduler. */
const RANDOM = 0.5;

/** The ports of the production code. They serve whichever schedule is running, so that handlers are made only once. */
export class Ports {
  #world: World | undefined;

  /** The schedule that is running. */
  get world(): World {
    if (this.#world === undefined) throw new Error('A port was called while no schedule was running.');
    return this.#world;
  }

  serve(world: World | undefined): void {
    this.#world = world;
  }

  get isServing(): boolean {
    return this.#world !== undefined;
  }

  readonly ambient: Ambient = {
    now: () => epochMs(this.world.clockOf(this.world.current)),
    id: () => {
      const { current } = this.world;
      return `${current.name}, id ${++current.ids}`;
    },
    random: () => RANDOM,
    sleep: () => this.world.call('sleep', 'sleeps', () => undefined),
  };

  readonly store: Store = {
    shards: 1,
    read: (pk) => this.world.call('read', 'reads a claim', () => this.world.store.read(pk)),
    record: (at) => this.world.call('read', `reads ${at.table}`, () => this.world.store.record(at)),
    write: (write, alongside = []) =>
      this.world.call('write', write.kind, () => this.world.store.write(write, alongside)),
    commit: (writes: readonly DomainWrite[]) =>
      this.world.call('write', 'commit', () => this.world.store.commit(writes)),
    due: (_shard, until) =>
      this.world.call(
        'due',
        'reads the index',
        (how): DuePage => ({
          due: this.world.store.due(until, how === 'stale'),
        }),
      ),
  };

  readonly provider: PaymentProvider = {
    keyRetentionMs: KEY_RETENTION_MS,
    perform: (call) =>
      this.#ask('perform', call, (how) =>
        this.world.provider.perform(call, how === 'refused' ? 'refuse' : how === 'stored-500' ? 'fail' : 'charge'),
      ),
    lookup: (call) => this.#ask('lookup', call, (how) => this.world.provider.lookup(call, how === 'lagging')),
    close: (call) => this.#ask('close', call, () => this.world.provider.close(call)),
  };

  readonly receipts: ReceiptQueue = {
    send: ({ jobKey }) => this.world.call('send', 'queues a receipt', () => void this.world.queued.add(jobKey)),
  };

  #ask(
    kind: 'perform' | 'lookup' | 'close',
    call: Call,
    ask: (how: Parameters<Parameters<World['call']>[2]>[0]) => Evidence,
  ): Promise<Evidence> {
    const { world } = this;
    return world.call(kind, `asks the provider to ${kind}`, (how) => {
      world.invariants.providerCalled(call);
      const movements = world.provider.movements.length;
      const evidence = ask(how);
      if (world.provider.movements.length > movements) world.invariants.charged();
      return evidence;
    });
  }
}
