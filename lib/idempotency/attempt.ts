import * as answers from './answers.ts';
import type { Budget } from './budget.ts';
import type { ClaimedClaim, ExecutingClaim } from './claim.ts';
import type { Effect } from './effect.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { JsonObject } from './json.ts';
import type { Problem } from './problems.ts';

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
  /** How long to wait for another request with this key before it is answered 409. @default 0 */
  readonly waitMs?: number;
  /** Links to the key's state, for answers that ask the client to wait. */
  readonly links: readonly string[];
}

export type Begun =
  /** The claim is ours: run. `claimed` with an effect, `executing` without. */
  | { readonly kind: 'run'; readonly claim: ClaimedClaim | ExecutingClaim }
  | {
      readonly kind: 'answer';
      readonly answer: answers.Answer;
      /** Of a mismatch: the fingerprint that the claim was made with. */
      readonly stored?: Fingerprint;
    };

type Answered = Extract<Begun, { readonly kind: 'answer' }>;

export const answered = (answer: answers.Answer): Answered => ({ kind: 'answer', answer });
export const refused = (problem: Problem): Answered => answered(answers.problem(problem));
