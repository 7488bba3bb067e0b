import type { Admission, GatedClaim } from './admission.ts';
import * as answers from './answers.ts';
import { type Attempt, answered, type Begun, refused } from './attempt.ts';
import { type DoneClaim, SCHEMA_VERSION } from './claim.ts';
import { StoreUnavailableError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import { recover } from './recovery.ts';
import { replayOf } from './replay.ts';
import { storedAnswer } from './stored-answer.ts';

/** Answers a request that may not run. */
export async function answerTo<C extends JsonObject>(
  protocol: Protocol,
  attempt: Attempt<C>,
  admission: Exclude<Admission, { kind: 'free' }>,
): Promise<Begun> {
  const { observe } = protocol;
  switch (admission.kind) {
    case 'replay':
      return replay(protocol, attempt, admission.claim);
    case 'mismatch':
      observe({ kind: 'mismatch' });
      return { ...refused(answers.mismatch(attempt.mismatchStatus)), stored: admission.stored };
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

function replay<C extends JsonObject>(protocol: Protocol, { effect }: Attempt<C>, claim: DoneClaim): Begun {
  const answer = storedAnswer(protocol, claim, effect);
  if (answer.kind === 'problem') return answered(answer);
  protocol.observe({ kind: 'replayed', operation: claim.operation });
  protocol.cache?.keep(claim);
  return answered(answers.final(replayOf(answer.response)));
}

/** A client's retry behind the gate: look up, and send again only under the same provider key. */
async function recoverInline<C extends JsonObject>(
  protocol: Protocol,
  attempt: Attempt<C>,
  claim: GatedClaim,
): Promise<Begun> {
  const { observe } = protocol;
  if (attempt.effect !== undefined) {
    const { effect, budget } = attempt;
    const recovery = await recover(protocol, { effect, claim, budget, by: 'retry', whenAbsent: 'resend' });
    if (recovery.kind === 'settled') return answered(answers.final(replayOf(recovery.response)));
    // The door may have been closed, or the charge settled, while this request was asking.
    const found = await protocol.store.read(claim.pk);
    if (found?.status === 'done' && found.operation === claim.operation) return replay(protocol, attempt, found);
  }
  observe({ kind: 'pending' });
  return refused(answers.outcomePending('other', attempt.links));
}
