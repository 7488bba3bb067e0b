import type { Answer } from '../../lib/idempotency/answers.ts';
import { type Attempt, type Begun, begin } from '../../lib/idempotency/begin.ts';
import type { ClaimedClaim, DoneClaim, Found, OpenClaim } from '../../lib/idempotency/claim.ts';
import type { Effect } from '../../lib/idempotency/effect.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import { GatedOperation } from '../../lib/idempotency/gated-operation.ts';
import type { JsonObject } from '../../lib/idempotency/json.ts';
import type { Protocol, ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import { type ReconcileOptions, reconcile } from '../../lib/idempotency/reconcile.ts';
import type { ReconcileReport } from '../../lib/idempotency/reconcile-report.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { budgetOf, type FakeAmbient, fakeAmbient } from './fake-ambient.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';

export const PK = 'pk';
export const COMMAND = { amount: 1 } as const;
export const RETENTION_MS = 24 * 60 * 60 * 1_000;
export const GRACE_MS = 5 * 60 * 1_000;
/** The time of one invocation, and what its lease adds. */
export const INVOCATION_MS = 10_000;
export const LEASE_MS = INVOCATION_MS + 5_000;

type Part = Partial<Attempt<JsonObject>>;

export interface Scene {
  readonly ambient: FakeAmbient;
  readonly store: FaultyStore;
  readonly protocol: Protocol;
  readonly events: readonly ProtocolEvent[];
  /** The kinds of the events so far. */
  kinds(): readonly string[];
  /** A request with this scene's effect; without any when `effect` is `undefined`. */
  begin(part?: Part | { readonly effect: undefined }): Promise<Begun>;
  /** A request that claims, as its handler sees it. */
  claim(part?: Part): Promise<GatedOperation<JsonObject>>;
  /** A run of the reconciler. */
  reconcile(remainingMs?: number, records?: ReconcileOptions<JsonObject>['records']): Promise<ReconcileReport>;
  item(): Promise<Found>;
  /** The item, which must be open. */
  open(): Promise<OpenClaim>;
  /** The item, which must be settled. */
  done(): Promise<DoneClaim>;
  order(): Promise<JsonObject | undefined>;
}

/** One key, a store, a clock and an effect. */
export function scene(effect: Effect): Scene {
  const ambient = fakeAmbient();
  const inner = memoryStore({ now: ambient.now });
  const store = faultyStore(inner);
  const events: ProtocolEvent[] = [];
  const protocol: Protocol = { store, ambient, retentionMs: RETENTION_MS, observe: (event) => events.push(event) };

  const attempt = (part: Part | { readonly effect: undefined }): Attempt<JsonObject> => {
    const defaults = { pk: PK, scope: 'scope', fingerprint: 'f1:first' as Fingerprint, mismatchStatus: 422, links: [] };
    const { effect: given = effect, ...rest } = part;
    const isUngated = 'effect' in part && part.effect === undefined;
    return { ...defaults, budget: budgetOf(ambient, INVOCATION_MS), ...rest, ...(!isUngated && { effect: given }) };
  };

  const self: Scene = {
    ambient,
    store,
    protocol,
    events,
    kinds: () => events.map(({ kind }) => kind),
    begin: (part = {}) => begin(protocol, attempt(part)),
    async claim(part = {}) {
      const request = attempt(part);
      const begun = await begin(protocol, request);
      if (begun.kind !== 'run') throw new Error(`The request was answered ${codeOf(begun)}.`);
      // With an effect a claim is made before the gate.
      return new GatedOperation(protocol, request.effect ?? effect, begun.claim as ClaimedClaim, request.budget);
    },
    reconcile: (remainingMs = 60_000, records = undefined) => {
      const options = { effect, graceMs: GRACE_MS, budget: budgetOf(ambient, remainingMs) };
      return reconcile(protocol, { ...options, ...(records && { records }) });
    },
    item: () => inner.read(PK),
    async open() {
      const found = await inner.read(PK);
      if (found === undefined || found.status === 'done' || found.status === 'newer')
        throw new Error('It is not open.');
      return found;
    },
    async done() {
      const found = await inner.read(PK);
      if (found?.status !== 'done') throw new Error(`It is not done but ${found?.status}.`);
      return found;
    },
    order: () => inner.record({ table: 'orders', key: 'order' }),
  };
  return self;
}

/** A problem's code, the status of a final answer (with `replayed` where it is marked so), or `run`. */
export function codeOf(of: Begun | Answer): string {
  if (of.kind === 'run') return 'run';
  const answer = of.kind === 'answer' ? of.answer : of;
  if (answer.kind === 'problem')
    return `${answer.problem.status ?? answer.problem.type.status} ${answer.problem.type.code}`;
  const { status, headers } = answer.response;
  return headers['idempotency-replayed'] === 'true' ? `${status} replayed` : String(status);
}

/** The bytes of a final answer. */
export function bytesOf(of: Begun | Answer): string {
  const answer = of.kind === 'answer' ? of.answer : of;
  if (answer.kind !== 'final') throw new Error(`There is no final answer but ${codeOf(of)}.`);
  return Buffer.from(answer.response.body).toString();
}
