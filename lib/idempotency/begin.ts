import { type Admission, admit } from './admission.ts';
import * as answers from './answers.ts';
import { type Budget, GATED_START_MIN_MS, leaseFrom, UNGATED_START_MIN_MS, WITHDRAWAL_MIN_MS } from './budget.ts';
import { type ClaimedClaim, type ExecutingClaim, type Found, SCHEMA_VERSION } from './claim.ts';
import type { Effect } from './effect.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import { recover } from './recovery.ts';
import { replayOf } from './replay.ts';
import type { Write } from './transition.ts';

/** A request that wants to run, with everything that decides whether it may. */
export interface Attempt<C extends JsonObject> {
  /** The claim's address. */
  readonly pk: string;
  readonly scope: string;
  readonly fingerprint: Fingerprint;
  readonly budget: Budget;
  /** Absent for handlers without an external effect. */
  readonly effect?: Effect<C>;
  /** Answered when the fingerprint differs. */
  readonly mismatchStatus: number;
  /** Links to the key's state, for answers that ask the client to wait. */
  readonly links: readonly string[];
}

export type Begun =
  /** The claim is ours: run. `claimed` with an effect, `executing` without. */
  | { readonly kind: 'run'; readonly claim: ClaimedClaim | ExecutingClaim }
  | { readonly kind: 'answer'; readonly answer: answers.Answer };

/** Each round loses to a write of somebody else, so a handful is already contention that a client should wait out. */
const ROUNDS_MAX = 4;

const answered = (answer: answers.Answer): Begun => ({ kind: 'answer', answer });
const refused = (problem: Parameters<typeof answers.problem>[0]): Begun => answered(answers.problem(problem));

/** Claims the key, or answers from what is there (T1, T2, and recovery behind the gate). Fails closed. */
export async function begin<C extends JsonObject>(protocol: Protocol, attempt: Attempt<C>): Promise<Begun> {
  const { ambient, observe } = protocol;
  const startMinMs = attempt.effect === undefined ? UNGATED_START_MIN_MS : GATED_START_MIN_MS;
  if (attempt.budget.remainingMs() < startMinMs) {
    observe({ kind: 'not-enough-time' });
    return refused(answers.notEnoughTime());
  }
  try {
    const claim = newClaim(protocol, attempt);
    const claimIt = () => write(protocol, attempt, claim, { kind: 'claim', claim, now: ambient.now() });
    let met = await claimIt();
    for (let round = 0; met.kind === 'other' && round < ROUNDS_MAX; round++) {
      const admission = admit(met.found, attempt, ambient.now());
      if (admission.kind === 'free') met = await claimIt();
      else if (admission.kind === 'take-over' && attempt.effect !== undefined)
        met = await takeOver(protocol, attempt, admission.claim);
      else return await answer(protocol, attempt, admission);
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

async function answer<C extends JsonObject>(
  protocol: Protocol,
  attempt: Attempt<C>,
  admission: Exclude<Admission, { kind: 'free' }>,
): Promise<Begun> {
  const { observe } = protocol;
  switch (admission.kind) {
    case 'replay':
      observe({ kind: 'replayed', operation: admission.claim.operation });
      return answered(answers.final(replayOf(admission.claim.response)));
    case 'mismatch':
      observe({ kind: 'mismatch' });
      return refused(answers.mismatch(attempt.mismatchStatus));
    case 'in-progress':
      observe({ kind: 'in-progress' });
      return refused(answers.inProgress(admission.leaseLeftMs, attempt.links));
    case 'under-review':
      observe({ kind: 'under-review' });
      return refused(answers.underReview(attempt.links));
    case 'unreadable':
      throw new StoreUnavailableError(
        `The item is of schema version ${admission.v}; this code knows ${SCHEMA_VERSION}.`,
      );
    case 'pending':
    // A claim made while this route had an effect, and none to take it over for now: it is released when its time comes.
    case 'take-over':
      observe({ kind: 'pending' });
      return refused(answers.outcomePending('other', attempt.links));
    case 'recover':
      return recoverInline(protocol, attempt, admission.claim);
  }
}

/** A client's retry behind the gate: look up, and send again only under the same provider key. */
async function recoverInline<C extends JsonObject>(
  protocol: Protocol,
  attempt: Attempt<C>,
  claim: Extract<Admission, { kind: 'recover' }>['claim'],
): Promise<Begun> {
  const { observe } = protocol;
  if (attempt.effect !== undefined) {
    const { effect, budget } = attempt;
    const recovery = await recover(protocol, { effect, claim, budget, by: 'retry', whenAbsent: 'resend' });
    if (recovery.kind === 'settled') return answered(answers.final(replayOf(recovery.response)));
    // The door may have been closed, or the charge settled, while this request was asking.
    const found = await protocol.store.read(claim.pk);
    if (found?.status === 'done' && found.operation === claim.operation)
      return answer(protocol, attempt, { kind: 'replay', claim: found });
  }
  observe({ kind: 'pending' });
  return refused(answers.outcomePending('other', attempt.links));
}
