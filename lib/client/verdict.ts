import { type Answer, headerOf, problemOf } from './answer.ts';

/**
 * What an answer means for the intention.
 *
 * - `final`: this is what became of it.
 * - `again`: temporary, or silent about what became of it; the same request under the same key will tell.
 * - `refused`: this attempt was not let in. It says nothing about earlier ones.
 * - `under-review`: nobody knows until an operator has looked; asking again at once is useless.
 */
export type Verdict = 'final' | 'again' | 'refused' | 'under-review';

/** Request Timeout, Too Early, Too Many Requests. */
const TEMPORARY: readonly number[] = [408, 425, 429];

/** What a gateway says in the service's place to a caller whom it does not know, or no longer. */
const WHO_ARE_YOU: readonly number[] = [401, 403, 407];

/** What a gateway says in the service's place while a route is missing. */
const NOT_HERE: readonly number[] = [404, 405];

/**
 * The order is the rule: what the service says of the key goes before what a status usually means.
 *
 * @param isInDoubt whether an earlier attempt may have happened
 */
export function verdictOf(answer: Answer, isInDoubt: boolean): Verdict {
  const { status } = answer;
  const { code, retry } = problemOf(answer);
  if (code === 'under-review') return 'under-review';
  if (retry === 'same-key') return 'again';
  if (retry === 'new-key' || headerOf(answer, 'idempotency-replayed') === 'true') return 'final';
  if (status >= 500 || TEMPORARY.includes(status)) return 'again';
  if (WHO_ARE_YOU.includes(status) || (isInDoubt && NOT_HERE.includes(status))) return 'refused';
  return 'final';
}
