import { type Gate, isWhole, type Outcome, type SettledBy, type StoredResponse } from './claim.ts';
import type { Effect, Facts } from './effect.ts';
import { StoreUnavailableError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import type { DomainWrite, WriteResult } from './store.ts';
import { expiryAfter } from './time.ts';
import type { Write } from './transition.ts';

/** The generation of a gated claim, and what its gate wrote. */
export interface Settling {
  readonly pk: string;
  readonly operation: string;
  readonly scope: string;
  readonly gate: Gate;
}

export type Settlement =
  /** The claim is done; `response` is the one final answer, whoever wrote it. */
  | { readonly kind: 'settled'; readonly outcome: Outcome; readonly response: StoredResponse }
  /** The claim is of another generation by now, or gone: answer nothing from it. */
  | { readonly kind: 'superseded' };

/** The command was stored by the same effect that reads it back, hence the cast. */
export const factsOf = <C extends JsonObject>({ pk, operation, scope, gate }: Settling): Facts<C> => ({
  pk,
  operation,
  scope,
  command: gate.command as C,
  sentAt: gate.sentAt,
});

/**
 * Writes a definite outcome down (T6), together with what the domain makes of it. Anybody who holds one may; the first
 * writer wins, a contradiction is an anomaly and never an overwrite, and the domain never blocks a settlement.
 */
export async function settle<C extends JsonObject>(
  protocol: Protocol,
  effect: Effect<C>,
  claim: Settling,
  outcome: Outcome,
  settledBy: SettledBy,
): Promise<Settlement> {
  const { store, ambient, retentionMs } = protocol;
  const { pk, operation } = claim;
  const facts = factsOf<C>(claim);
  const render = (of: Outcome): StoredResponse => effect.answer(facts, of);
  const write: Write = {
    kind: 'settle',
    pk,
    operation,
    outcome,
    response: render(outcome),
    settledBy,
    expiresAt: expiryAfter(ambient.now(), retentionMs),
  };
  const alongside = effect.settle(facts, outcome);
  const together = await store.write(write, alongside);
  const result = together.kind === 'blocked' ? await store.write(write) : together;
  if (result.kind === 'blocked') throw new StoreUnavailableError('A write without domain records was refused by one.');
  if (together.kind === 'blocked' && result.kind === 'applied') await commitEach(protocol, operation, alongside);
  return conclude(protocol, write, result, { render, late: () => effect.late(facts, outcome) });
}

async function conclude(
  protocol: Protocol,
  write: Extract<Write, { kind: 'settle' }>,
  result: Exclude<WriteResult, { kind: 'blocked' }>,
  { render, late }: { render(of: Outcome): StoredResponse; late(): readonly DomainWrite[] },
): Promise<Settlement> {
  const { observe } = protocol;
  const { operation, outcome, response, settledBy } = write;
  if (result.kind === 'applied') {
    observe({ kind: 'settled', operation, result: outcome.result, by: settledBy });
    noteLostAnswer(protocol, operation, result.answerLost);
    return { kind: 'settled', outcome, response };
  }
  const found = result.kind === 'already' ? result.claim : result.found;
  if (found?.status === 'newer')
    throw new StoreUnavailableError(`The claim was rewritten by schema version ${found.v}.`);
  const isOurs = found?.status === 'done' && found.operation === operation;
  if (!isOurs || result.kind === 'refused') {
    const reason = isOurs ? contradiction(found.outcome, outcome) : `${outcome.result} came after the claim had ended`;
    observe({ kind: 'anomaly', operation, reason });
    await commitEach(protocol, operation, late());
  }
  if (!isOurs) return { kind: 'superseded' };
  const stored = isWhole(found.response) ? found.response : render(found.outcome);
  return { kind: 'settled', outcome: found.outcome, response: stored };
}

/** The claim is settled and its caller gets the whole answer; only replays will have to do without its bytes. */
export function noteLostAnswer({ observe }: Protocol, operation: string, why: string | undefined): void {
  if (why !== undefined)
    observe({ kind: 'store-error', reason: `The answer of operation ${operation} was not kept: ${why}` });
}

/** The domain's writes one by one, so that one that is refused does not take the others with it. */
async function commitEach(
  { store, observe }: Protocol,
  operation: string,
  writes: readonly DomainWrite[],
): Promise<void> {
  for (const write of writes) {
    const result = await store.commit([write]);
    if (result.kind === 'applied') continue;
    observe({ kind: 'anomaly', operation, reason: `settled, but ${write.table}/${write.key} refused to be written` });
  }
}

const contradiction = (stored: Outcome, reported: Outcome): string =>
  `stored as ${stored.result} (${stored.ref ?? 'no reference'}), reported as ${reported.result} (${reported.ref ?? 'no reference'})`;
