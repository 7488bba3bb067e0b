import { answerTo } from './admission-answer.ts';
import * as answers from './answers.ts';
import { type Attempt, answered, type Begun, refused } from './attempt.ts';
import { type Budget, GATED_START_MIN_MS, leaseFrom, UNGATED_START_MIN_MS, WITHDRAWAL_MIN_MS } from './budget.ts';
import { type ClaimedClaim, type ExecutingClaim, type Found, SCHEMA_VERSION } from './claim.ts';
import { StoreUnavailableError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import { replayOf } from './replay.ts';
import { after } from './time.ts';
import type { Write } from './transition.ts';
import { admitAfterWait } from './wait.ts';

export type { Attempt, Begun } from './attempt.ts';

/** Each round loses to a write of somebody else, so a handful is already contention that a client should wait out. */
const ROUNDS_MAX = 4;

/** Claims the key, or answers from what is there (T1, T2, and recovery behind the gate). Fails closed. */
export async function begin<C extends JsonObject>(protocol: Protocol, attempt: Attempt<C>): Promise<Begun> {
  const { ambient, observe, cache } = protocol;
  const cached = cache?.find(attempt, ambient.now());
  if (cached !== undefined) {
    observe({ kind: 'replayed', operation: cached.operation });
    return answered(answers.final(replayOf(cached.response)));
  }
  const startMinMs = attempt.effect === undefined ? UNGATED_START_MIN_MS : GATED_START_MIN_MS;
  if (attempt.budget.remainingMs() < startMinMs) {
    observe({ kind: 'not-enough-time' });
    return refused(answers.notEnoughTime());
  }
  const waiting = { ...attempt, until: after(ambient.now(), attempt.waitMs ?? 0), reserveMs: startMinMs };
  try {
    const claim = newClaim(protocol, attempt);
    const claimIt = () => write(protocol, attempt, claim, { kind: 'claim', claim, now: ambient.now() });
    let met = await claimIt();
    for (let round = 0; met.kind === 'other' && round < ROUNDS_MAX; round++) {
      const admission = await admitAfterWait(protocol, met.found, waiting);
      if (admission.kind === 'free') met = await claimIt();
      else if (admission.kind === 'take-over' && attempt.effect !== undefined)
        met = await takeOver(protocol, attempt, admission.claim);
      else return await answerTo(protocol, attempt, admission);
    }
    return met.kind === 'mine' ? { kind: 'run', claim: met.claim } : refused(answers.inProgress(0, attempt.links));
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    observe({ kind: 'store-error', reason: String(error) });
    return refused(answers.storeUnavailable());
  }
}

function newClaim<C extends JsonObject>({ ambient }: Protocol, attempt: Attempt<C>): ClaimedClaim | ExecutingClaim {
  const { pk, scope, fingerprint, budget, effect } = attempt;
  const now = ambient.now();
  const leaseUntil = leaseFrom(now, budget);
  return {
    v: SCHEMA_VERSION,
    pk,
    status: effect === undefined ? 'executing' : 'claimed',
    operation: ambient.id(),
    owner: ambient.id(),
    fingerprint,
    scope,
    createdAt: now,
    leaseUntil,
    dueAt: leaseUntil,
    attempts: 0,
  };
}

type Met =
  | { readonly kind: 'mine'; readonly claim: ClaimedClaim | ExecutingClaim }
  | { readonly kind: 'other'; readonly found: Found };

/** Claims, or takes over; `claim` is what the item says when that succeeded. */
async function write(
  protocol: Protocol,
  { budget }: { readonly budget: Budget },
  claim: ClaimedClaim | ExecutingClaim,
  attempted: Extract<Write, { kind: 'claim' | 'take-over' }>,
): Promise<Met> {
  const { store, observe } = protocol;
  const result = await store.write(attempted).catch(async (error: unknown) => {
    if (attempted.kind === 'claim' && budget.remainingMs() >= WITHDRAWAL_MIN_MS) await withdraw(protocol, claim);
    throw error;
  });
  if (result.kind === 'blocked') throw new StoreUnavailableError('A write without domain records was refused by one.');
  if (result.kind === 'refused') return { kind: 'other', found: result.found };
  observe({ kind: attempted.kind === 'claim' ? 'claimed' : 'taken-over', operation: claim.operation });
  return { kind: 'mine', claim };
}

/** A claim whose reply was lost may stand all the same. This request will not run, so it frees the key again. */
async function withdraw({ store, observe }: Protocol, claim: ClaimedClaim | ExecutingClaim): Promise<void> {
  const { pk, operation, owner } = claim;
  const kind = claim.status === 'claimed' ? 'release' : 'release-ungated';
  try {
    await store.write({ kind, pk, operation, owner });
  } catch (error) {
    observe({ kind: 'store-error', reason: String(error) });
  }
}

function takeOver<C extends JsonObject>(protocol: Protocol, attempt: Attempt<C>, found: ClaimedClaim): Promise<Met> {
  const { pk, operation, owner: from, fingerprint } = found;
  const now = protocol.ambient.now();
  const leaseUntil = leaseFrom(now, attempt.budget);
  const owner = protocol.ambient.id();
  const claim: ClaimedClaim = { ...found, owner, leaseUntil, dueAt: leaseUntil };
  return write(protocol, attempt, claim, {
    kind: 'take-over',
    pk,
    operation,
    from,
    owner,
    fingerprint,
    leaseUntil,
    now,
  });
}
