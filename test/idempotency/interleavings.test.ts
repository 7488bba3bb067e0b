import fc, { type Scheduler } from 'fast-check';
import { expect, test } from 'vitest';
import type { Answer } from '../../lib/idempotency/answers.ts';
import { begin } from '../../lib/idempotency/begin.ts';
import type { ClaimedClaim } from '../../lib/idempotency/claim.ts';
import type { Effect } from '../../lib/idempotency/effect.ts';
import { StoreUnavailableError } from '../../lib/idempotency/errors.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import { GatedOperation } from '../../lib/idempotency/gated-operation.ts';
import type { Protocol } from '../../lib/idempotency/protocol.ts';
import { reconcile } from '../../lib/idempotency/reconcile.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { budgetOf, fakeAmbient } from '../support/fake-ambient.ts';
import { fakeEffect, unknown } from '../support/fake-effect.ts';
import { bytesOf, COMMAND, GRACE_MS, PK, RETENTION_MS } from '../support/scene.ts';
import { type CallFault, simulatedProvider } from '../support/simulated-provider.ts';

interface Actor {
  readonly role: 'request' | 'reconciler';
  /** Stops for good at this await, or never. */
  readonly crashAt: number | undefined;
  /** Whether its clock stands still, as that of a frozen process does. */
  readonly isFrozen: boolean;
  /** What becomes of its calls to the store, in order; then all is well. */
  readonly storeFaults: readonly ('none' | 'failed' | 'lost')[];
}

const actor = (role: Actor['role']): fc.Arbitrary<Actor> =>
  fc.record({
    role: fc.constant(role),
    crashAt: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }),
    isFrozen: fc.boolean(),
    storeFaults: fc.array(fc.constantFrom('none', 'none', 'none', 'failed', 'lost'), { maxLength: 6 }),
  });

const actors = fc
  .tuple(fc.array(actor('request'), { minLength: 1, maxLength: 4 }), fc.array(actor('reconciler'), { maxLength: 2 }))
  .map((groups) => groups.flat());

const callFaults = fc.array(
  fc.constantFrom<CallFault>('none', 'none', 'lost', 'swallowed', 'late', 'not-executed', 'refused', 'declined'),
  { maxLength: 8 },
);

/** Late calls land while others still work, or two minutes times this later. */
const lateRounds = fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined });

/** Leaps of the clock: within a lease, over a lease, over the grace period. */
const leaps = fc.array(fc.constantFrom(1_000, 16_000, GRACE_MS + 1_000), { maxLength: 6 });

/** One key, everything that may happen to it, and what became of it. */
function world(
  s: Scheduler,
  options: {
    readonly faults: readonly CallFault[];
    readonly dedupes: boolean;
    readonly lateRounds?: number | undefined;
  },
) {
  const ambient = fakeAmbient();
  const store = memoryStore({ now: ambient.now });
  const { lateRounds } = options;
  let round = 0;
  const landings: (() => void)[] = [];
  const later = (): Promise<unknown> =>
    lateRounds === undefined
      ? s.schedule(Promise.resolve(), 'a late call lands')
      : new Promise<void>((resolve) => landings.push(resolve));
  const provider = simulatedProvider({ ...options, later });
  const { perform, close } = provider;
  // Without dedupe nobody may send again, so nobody ever learns that an effect is absent.
  const lookup: Effect['lookup'] = options.dedupes ? provider.lookup : async () => unknown;
  const effect = fakeEffect({}, { perform, lookup, ...(options.dedupes && { close }) });
  const finals: string[] = [];
  const settled = new Set<string>();

  async function note(answer: Answer): Promise<void> {
    if (answer.kind === 'final') finals.push(`${answer.response.status} ${bytesOf(answer)}`);
  }

  /** Everything that an actor awaits: in any order with the others', with faults, and never again after its crash. */
  function network({ crashAt, storeFaults }: Actor) {
    const faults = [...storeFaults];
    let awaits = 0;
    const turn = async (label: string): Promise<void> => {
      awaits += 1;
      await s.schedule(Promise.resolve(), label);
      if (crashAt !== undefined && awaits >= crashAt) await new Promise(() => {});
    };
    const through = async <T>(label: string, call: () => Promise<T>, fault = 'none'): Promise<T> => {
      await turn(`${label} is sent`);
      if (fault === 'failed') throw new StoreUnavailableError(label);
      const result = await call();
      const found = await store.read(PK);
      if (found?.status === 'done') settled.add(JSON.stringify(found));
      await turn(`${label} is answered`);
      if (fault === 'lost') throw new StoreUnavailableError(label);
      return result;
    };
    const viaStore = <T>(label: string, call: () => Promise<T>) => through(label, call, faults.shift());
    const seenStore: Store = {
      ...store,
      read: (pk) => viaStore('read', () => store.read(pk)),
      write: (write, alongside) => viaStore(write.kind, () => store.write(write, alongside)),
      due: (...page) => through('due', () => store.due(...page)),
      commit: (writes) => viaStore('commit', () => store.commit(writes)),
    };
    const seenEffect: Effect = {
      ...effect,
      perform: (call) => through('perform', () => effect.perform(call)),
      lookup: (call) => through('lookup', () => effect.lookup(call)),
      ...(effect.close && { close: (call) => through('close', () => provider.close(call)) }),
    };
    return { seenStore, seenEffect };
  }

  const protocolOver = (over: Store): Protocol => ({
    store: over,
    ambient,
    retentionMs: RETENTION_MS,
    observe: () => {},
  });

  async function request(over: Store, through: Effect, isFrozen: boolean): Promise<void> {
    const protocol = protocolOver(over);
    const budget = isFrozen ? { remainingMs: () => 10_000 } : budgetOf(ambient, 10_000);
    const fingerprint = 'f1:x' as Fingerprint;
    const attempt = { pk: PK, scope: 'scope', fingerprint, budget, effect: through, mismatchStatus: 422, links: [] };
    const begun = await begin(protocol, attempt);
    if (begun.kind === 'answer') return note(begun.answer);
    const operation = new GatedOperation(protocol, through, begun.claim as ClaimedClaim, budget);
    return note(await operation.perform(COMMAND));
  }

  async function run(actor: Actor): Promise<void> {
    await s.schedule(Promise.resolve(), `a ${actor.role} comes`);
    const { seenStore, seenEffect } = network(actor);
    if (actor.role === 'request') return request(seenStore, seenEffect, actor.isFrozen);
    const budget = { remainingMs: () => 60_000 };
    await reconcile(protocolOver(seenStore), { effect: seenEffect, graceMs: GRACE_MS, budget });
  }

  async function clock(ms: readonly number[]): Promise<void> {
    for (const leap of ms) {
      await s.schedule(Promise.resolve(), 'time passes');
      ambient.advance(leap);
    }
  }

  /** Minutes of undisturbed runs, until nothing is open any more. */
  async function recoverInPeace(): Promise<void> {
    provider.heal();
    for (let minutes = 0; minutes < 120; minutes += 2) {
      await reconcile(protocolOver(store), { effect, graceMs: GRACE_MS, budget: { remainingMs: () => 60_000 } });
      round += 1;
      if (round === lateRounds) for (const land of landings.splice(0)) land();
      const found = await store.read(PK);
      const isOver = found === undefined || found.status === 'done';
      if (isOver && landings.length === 0) return;
      ambient.advance(2 * 60_000);
    }
  }

  return { run, clock, recoverInPeace, store, provider, finals, settled, retry: () => request(store, effect, false) };
}

test('whatever is lost, repeated, frozen or killed: one charge at most, one answer for all, and nothing open in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), actors, callFaults, leaps, lateRounds, async (s, cast, faults, ms, late) => {
      const w = world(s, { faults, dedupes: true, lateRounds: late });
      for (const member of cast) void w.run(member);
      void w.clock(ms);
      await s.waitIdle();
      await w.recoverInPeace();

      const found = await w.store.read(PK);
      expect(found === undefined || found.status === 'done').toBe(true);
      expect(w.provider.charges()).toBeLessThanOrEqual(1);
      if (found?.status === 'done') expect(found.response.status === 201).toBe(w.provider.charges() === 1);
      else expect(w.provider.charges()).toBe(0);

      await w.retry();
      const [first] = w.finals;
      expect(first).toBeDefined();
      expect(new Set(w.finals).size).toBe(1);
      expect(w.provider.charges()).toBe(first?.startsWith('201') ? 1 : 0);
      expect(w.settled.size).toBeLessThanOrEqual(1);
    }),
    { numRuns: 1_000 },
  );
});

test('even at a provider that dedupes nothing the gate lets one owner through', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), actors, callFaults, leaps, async (s, cast, faults, ms) => {
      const w = world(s, { faults, dedupes: false });
      for (const member of cast) void w.run(member);
      void w.clock(ms);
      await s.waitIdle();
      expect(w.provider.charges()).toBeLessThanOrEqual(1);
      expect(w.settled.size).toBeLessThanOrEqual(1);
    }),
    { numRuns: 1_000 },
  );
});
