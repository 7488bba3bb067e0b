import type { Outcome, StoredResponse } from './claim.ts';
import type { JsonObject } from './json.ts';
import type { Problem } from './problems.ts';
import type { Blocking, DomainWrite } from './store.ts';
import type { EpochMs } from './time.ts';

/** What is known of an operation once its gate has passed; every path that renders its answer starts from this. */
export interface Facts<C extends JsonObject = JsonObject> {
  /** The claim's address. */
  readonly pk: string;
  readonly operation: string;
  /** Hash of tenant and subject. */
  readonly scope: string;
  readonly command: C;
  /** When the gate passed. */
  readonly sentAt: EpochMs;
}

/** One call to a provider. */
export interface EffectCall<C extends JsonObject = JsonObject> extends Facts<C> {
  /** The idempotency key at the provider: the same for every call of this operation. */
  readonly key: string;
  /** The provider's object, where it is known. */
  readonly providerRef?: string;
  /** The call must end within this many milliseconds. */
  readonly timeoutMs: number;
}

/** What one call proved. Anything that is no proof is `unknown`. */
export type Evidence =
  /** The provider's definite answer. */
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** Refused in validation: this call did nothing, and nothing is remembered under the key. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** This call was provably not executed (not sent, or turned away before execution): it may be tried again. */
  | { readonly kind: 'not-executed'; readonly reason: string }
  /** Look-up only: not found. Never read as "did not happen". */
  | { readonly kind: 'absent' }
  /** Door closing only: the effect did not happen and never can under this key. */
  | { readonly kind: 'closed' }
  /** The key is taken by a call that proves nothing (a stored failure, other parameters): only a look-up can tell. */
  | { readonly kind: 'used-up'; readonly reason: string }
  /** The answer belongs to another order, amount or operation. */
  | { readonly kind: 'foreign'; readonly reason: string }
  /** Time-outs, resets, 5xx, key in use, unreadable answers: the effect may have happened. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly providerRef?: string };

/**
 * An external effect that must happen at most once, and how its outcome is found, closed, recorded and answered.
 *
 * It rests on a provider that remembers `key`, refuses other parameters under it for `keyRetentionMs`, and can look an
 * outcome up. None of the calls may throw: what is not proof is `unknown`.
 */
export interface Effect<C extends JsonObject = JsonObject> {
  /** How long the provider is sure to remember a key, from its first use. */
  readonly keyRetentionMs: number;
  /** Makes the effect happen, once per key. */
  perform(call: EffectCall<C>): Promise<Evidence>;
  /** Asks what became of it, with a strongly consistent query. */
  lookup(call: EffectCall<C>): Promise<Evidence>;
  /** Makes sure that it will never happen. Without it an absent effect waits for an operator. */
  close?(call: EffectCall<C>): Promise<Evidence>;
  /** The final answer, a pure function of its arguments, so that every path renders the same bytes. */
  answer(facts: Facts<C>, outcome: Outcome): StoredResponse;
  /** Domain writes in the gate's transaction, for example the lock on an order. */
  gate(facts: Facts<C>): readonly DomainWrite[];
  /** Domain writes in the settlement's transaction. */
  settle(facts: Facts<C>, outcome: Outcome): readonly DomainWrite[];
  /**
   * Domain writes for an outcome that came after the claim had ended otherwise: money that moved although its client
   * was told that it had not must at least keep the order from being paid again. Each is tried alone.
   */
  late(facts: Facts<C>, outcome: Outcome): readonly DomainWrite[];
  /** What to answer when the gate's domain writes were refused; the claim is released. */
  blocked(command: C, by: readonly Blocking[]): Problem;
}
