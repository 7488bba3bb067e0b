import { admit } from '../idempotency/admission.ts';
import { type Budget, leaseFrom, UNGATED_START_MIN_MS } from '../idempotency/budget.ts';
import { type ClaimedClaim, type Found, SCHEMA_VERSION, type StoredResponse } from '../idempotency/claim.ts';
import { digest } from '../idempotency/digest.ts';
import { StoreUnavailableError } from '../idempotency/errors.ts';
import type { Fingerprint } from '../idempotency/fingerprint.ts';
import type { Protocol } from '../idempotency/protocol.ts';
import { hasLanded, type WriteResult } from '../idempotency/store.ts';
import { expiryAfter } from '../idempotency/time.ts';

/** One unit of work that may be delivered more than once. */
export interface Unit {
  /** A name for the kind of unit: keys of two kinds never meet. */
  readonly scope: string;
  /** The unit's own id, which every delivery of it repeats. */
  readonly key: string;
  readonly budget: Budget;
  /** Milliseconds that the work takes at most; with less left it is not begun. @default what the two writes take */
  readonly workMs?: number;
}

/** How the work ended. `undone` frees the unit for its next delivery, as an exception does. */
export type WorkEnd = { readonly kind: 'done' } | { readonly kind: 'undone'; readonly reason: string };

export type OnceResult =
  | WorkEnd
  /** A delivery before this one has done it. */
  | { readonly kind: 'already-done' }
  /** Another delivery is at it, or too little time is left to begin: let it come again. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number };

/** Each round loses to another delivery's write; more of them than this are contention that the next delivery waits out. */
const ROUNDS_MAX = 4;

/** How soon a delivery may come again at the earliest. */
const RETRY_SOON_MS = 1_000;

/** The key is the unit's whole identity: there is no request to compare. */
const NO_FINGERPRINT = 'once' as Fingerprint;

/** Nobody is answered from a unit of work. */
const NO_RESPONSE: StoredResponse = { status: 204, headers: {}, body: new Uint8Array() };

/**
 * Does a unit of work that is delivered at least once, and not again for `protocol.retentionMs` once it is done.
 *
 * The claim stays before the gate while the work runs, so a delivery that died is taken over when its lease has ended,
 * and one that failed frees the unit at once: the work itself must bear to be done again. It is `done` only when that
 * is written down.
 *
 * @throws StoreUnavailableError when nobody can tell; let the delivery come again.
 *
 * @example
 * const end = await once(protocol, { scope: 'events', key: event.id, budget }, () => handle(event));
 */
export async function once(protocol: Protocol, unit: Unit, work: () => Promise<WorkEnd>): Promise<OnceResult> {
  const { observe } = protocol;
  if (unit.budget.remainingMs() < (unit.workMs ?? 0) + UNGATED_START_MIN_MS) {
    observe({ kind: 'not-enough-time' });
    return { kind: 'busy', retryAfterMs: RETRY_SOON_MS };
  }
  const entry = await enter(protocol, unit);
  if (entry.kind !== 'mine') return entry;
  let end: WorkEnd;
  try {
    end = await work();
  } catch (error) {
    await release(protocol, entry.claim);
    throw error;
  }
  await (end.kind === 'done' ? finish(protocol, entry.claim) : release(protocol, entry.claim));
  return end;
}

type Mine = Pick<ClaimedClaim, 'pk' | 'operation' | 'owner'>;
type Entry =
  | { readonly kind: 'mine'; readonly claim: Mine }
  | Extract<OnceResult, { readonly kind: 'already-done' | 'busy' }>;

const addressOf = ({ scope, key }: Unit): string => digest(['once', scope, key]);

/** T1, and T2 over a delivery that died. */
async function enter(protocol: Protocol, unit: Unit): Promise<Entry> {
  const { store, ambient, observe } = protocol;
  const fresh = newClaim(protocol, unit);
  const claimIt = () => store.write({ kind: 'claim', claim: fresh, now: ambient.now() });
  let claim: Mine = fresh;
  let result = await claimIt();
  for (let round = 0; !hasLanded(result) && round < ROUNDS_MAX; round++) {
    const admission = admit(foundBy(result), fresh, ambient.now());
    switch (admission.kind) {
      case 'replay':
        observe({ kind: 'replayed', operation: admission.claim.operation });
        return { kind: 'already-done' };
      case 'in-progress':
        observe({ kind: 'in-progress' });
        return { kind: 'busy', retryAfterMs: Math.max(RETRY_SOON_MS, admission.leaseLeftMs) };
      case 'free':
        claim = fresh;
        result = await claimIt();
        break;
      case 'take-over':
        claim = { ...admission.claim, owner: ambient.id() };
        result = await takeOver(protocol, unit, admission.claim, claim.owner);
        break;
      default:
        throw new StoreUnavailableError(`The item of ${unit.scope} "${unit.key}" cannot be read: ${admission.kind}.`);
    }
  }
  if (!hasLanded(result)) return { kind: 'busy', retryAfterMs: RETRY_SOON_MS };
  observe({ kind: claim === fresh ? 'claimed' : 'taken-over', operation: claim.operation });
  return { kind: 'mine', claim };
}

function newClaim({ ambient }: Protocol, unit: Unit): ClaimedClaim {
  const now = ambient.now();
  const leaseUntil = leaseFrom(now, unit.budget);
  return {
    v: SCHEMA_VERSION,
    pk: addressOf(unit),
    status: 'claimed',
    operation: ambient.id(),
    owner: ambient.id(),
    fingerprint: NO_FINGERPRINT,
    scope: unit.scope,
    createdAt: now,
    leaseUntil,
    dueAt: leaseUntil,
    attempts: 0,
  };
}

function foundBy(result: WriteResult): Found {
  if (result.kind === 'refused') return result.found;
  throw new StoreUnavailableError('A write without domain records was refused by one.');
}

function takeOver({ store, ambient }: Protocol, unit: Unit, found: ClaimedClaim, owner: string): Promise<WriteResult> {
  const { pk, operation, owner: from, fingerprint } = found;
  const now = ambient.now();
  const leaseUntil = leaseFrom(now, unit.budget);
  return store.write({ kind: 'take-over', pk, operation, from, owner, fingerprint, leaseUntil, now });
}

/** T4. Where it fails, the end of the lease does its work. */
async function release({ store, observe }: Protocol, { pk, operation, owner }: Mine): Promise<void> {
  try {
    const result = await store.write({ kind: 'release', pk, operation, owner });
    if (hasLanded(result)) observe({ kind: 'released', operation });
  } catch (error) {
    observe({ kind: 'store-error', reason: String(error) });
  }
}

/** T6, by the owner from before the gate. Refused where a later delivery took over: then that one settles it. */
async function finish({ store, ambient, retentionMs, observe }: Protocol, claim: Mine): Promise<void> {
  const { pk, operation, owner } = claim;
  const outcome = { result: 'answered' } as const;
  const expiresAt = expiryAfter(ambient.now(), retentionMs);
  const settled = { response: NO_RESPONSE, settledBy: 'owner', expiresAt } as const;
  const result = await store.write({ kind: 'settle', pk, operation, owner, outcome, ...settled });
  if (hasLanded(result)) observe({ kind: 'settled', operation, result: outcome.result, by: 'owner' });
}
