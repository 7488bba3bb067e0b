import { type GatedClaim, isGated } from '../idempotency/admission.ts';
import { type Budget, lookupTimeoutMs } from '../idempotency/budget.ts';
import type { DoneClaim, Found, Gate, Outcome } from '../idempotency/claim.ts';
import type { Effect } from '../idempotency/effect.ts';
import { StoreUnavailableError } from '../idempotency/errors.ts';
import type { Protocol } from '../idempotency/protocol.ts';
import { callOf, recover } from '../idempotency/recovery.ts';
import { factsOf, type Settling, settle } from '../idempotency/settlement.ts';
import type { PaymentCommand } from './command.ts';
import { type Advance, advancePayment, type Outbox } from './outbox.ts';
import { paymentIdOf } from './records.ts';

/**
 * An event of the provider about one of our payments. It is a hint to look, never the truth: events come late, twice
 * and out of order, so only the provider's present state decides.
 */
export interface Hint {
  /** The claim's address and the generation, as the provider's object names them. */
  readonly claim: string;
  readonly operation: string;
  /** The provider's object. */
  readonly ref: string;
  /** Whether the event speaks of money that has moved. */
  readonly isSuccess: boolean;
}

export interface WebhookDependencies extends Outbox, Pick<Protocol, 'retentionMs'> {
  readonly effect: Effect<PaymentCommand>;
}

export type Heeded =
  | { readonly kind: 'done' }
  /** Neither a claim nor a payment of ours: another system's, or one that was forgotten long ago. */
  | { readonly kind: 'foreign' }
  /** Something is open that this event is about: it must come again. */
  | { readonly kind: 'undone'; readonly reason: string };

const DONE: Heeded = { kind: 'done' };
const undone = (reason: string): Heeded => ({ kind: 'undone', reason });

/** Settles the claim that an event is about, where it is open, and moves its payment on. */
export async function heed(deps: WebhookDependencies, hint: Hint, budget: Budget): Promise<Heeded> {
  const claim = await readGeneration(deps, hint);
  if (isGated(claim)) {
    const open = await settleClaim(deps, claim, hint, budget);
    if (open !== undefined) return open;
  }
  const advance = await advancePayment(deps, paymentIdOf(hint.operation), budget);
  if (advance.kind !== 'absent') return heeded(advance);
  if (claim === undefined) return { kind: 'foreign' };
  return isSettled(claim) && hint.isSuccess ? adopt(deps, claim, hint, budget) : DONE;
}

const heeded = (advance: Exclude<Advance, { kind: 'absent' }>): Heeded =>
  advance.kind === 'open' ? undone(advance.reason) : DONE;

/** The claim that the event names, unless it is of another generation by now. */
async function readGeneration({ store, observe }: WebhookDependencies, hint: Hint): Promise<Found> {
  const found = await store.read(hint.claim);
  if (found?.status === 'newer') throw new StoreUnavailableError(`The claim is of schema version ${found.v}.`);
  if (found === undefined || found.operation !== hint.operation) return undefined;
  const ref = found.status === 'done' ? found.outcome.ref : undefined;
  if (ref !== undefined && ref !== hint.ref) {
    const reason = `settled with ${ref}, and the provider also speaks of ${hint.ref}`;
    observe({ kind: 'anomaly', operation: hint.operation, reason });
  }
  return found;
}

type SettledClaim = DoneClaim & { readonly gate: Gate };
const isSettled = (found: Found): found is SettledClaim => found?.status === 'done' && found.gate !== undefined;

/** The event names the object, so the look-up need not search for it. */
const named = <T extends Settling>(claim: T, { ref }: Hint): T => ({
  ...claim,
  gate: { ...claim.gate, providerRef: ref },
});

async function settleClaim(
  deps: WebhookDependencies,
  claim: GatedClaim,
  hint: Hint,
  budget: Budget,
): Promise<Heeded | undefined> {
  const { effect, observe } = deps;
  const request = { effect, claim: named(claim, hint), budget, by: 'webhook', whenAbsent: 'wait' } as const;
  const recovery = await recover<PaymentCommand>(deps, request);
  if (recovery.kind === 'open') return undone(recovery.reason);
  // The object is not this claim's, whatever it says. The claim itself is left to whoever looks for the right one.
  if (recovery.kind === 'hopeless') observe({ kind: 'anomaly', operation: claim.operation, reason: recovery.reason });
  return undefined;
}

/**
 * Money that moved although the claim was settled without it, or whose record the settlement could not write: the
 * stored answer stays, the payment is recorded, and a person is told. Otherwise the order could be paid again.
 */
async function adopt(deps: WebhookDependencies, claim: SettledClaim, hint: Hint, budget: Budget): Promise<Heeded> {
  const timeoutMs = lookupTimeoutMs(budget);
  if (timeoutMs === undefined) return undone('too little time is left to look the payment up');
  const evidence = await deps.effect.lookup(callOf<PaymentCommand>(named(claim, hint), timeoutMs));
  if (evidence.kind === 'foreign') {
    deps.observe({ kind: 'anomaly', operation: claim.operation, reason: evidence.reason });
    return DONE;
  }
  if (evidence.kind !== 'outcome') return undone('reason' in evidence ? evidence.reason : 'not found');
  const { outcome } = evidence;
  if (outcome.result !== 'performed') return DONE;
  if (claim.outcome.result === 'performed') await recordAgain(deps, claim, outcome);
  else await settle(deps, deps.effect, claim, outcome, 'webhook');
  const advance = await advancePayment(deps, paymentIdOf(claim.operation), budget);
  return advance.kind === 'absent' ? undone('the payment was not recorded') : heeded(advance);
}

/** The settlement's function died between the claim and the records, which an order had kept it from writing together. */
async function recordAgain(deps: WebhookDependencies, claim: SettledClaim, outcome: Outcome): Promise<void> {
  const { effect, store, observe } = deps;
  observe({ kind: 'anomaly', operation: claim.operation, reason: 'settled, and its payment was never recorded' });
  const facts = factsOf<PaymentCommand>(claim);
  for (const write of [...effect.settle(facts, outcome), ...effect.late(facts, outcome)]) await store.commit([write]);
}
