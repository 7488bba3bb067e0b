import { type Answer, final, problem, responseGone } from './answers.ts';
import { type DoneClaim, isWhole } from './claim.ts';
import type { Effect } from './effect.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import { factsOf } from './settlement.ts';

/**
 * A settled claim's one answer: its stored bytes; where those are gone, the same bytes rendered again from command and
 * outcome, if there is an effect that can; or else a problem that says so. Never a second run.
 */
export function storedAnswer<C extends JsonObject>(
  { observe }: Pick<Protocol, 'observe'>,
  { pk, operation, scope, gate, outcome, response }: DoneClaim,
  effect: Effect<C> | undefined,
): Answer {
  if (isWhole(response)) return final(response);
  observe({ kind: 'store-error', reason: `The bytes of the answer of operation ${operation} are gone.` });
  return effect === undefined || gate === undefined
    ? problem(responseGone(response))
    : final(effect.answer(factsOf<C>({ pk, operation, scope, gate }), outcome));
}
