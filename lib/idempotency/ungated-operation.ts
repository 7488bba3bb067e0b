import { type AnswerPolicy, isKept } from './answer-policy.ts';
import { type Answer, final, outcomePending, problem } from './answers.ts';
import type { ExecutingClaim, StoredResponse } from './claim.ts';
import type { Protocol } from './protocol.ts';
import { storable } from './replay.ts';
import { noteLostAnswer } from './settlement.ts';
import { hasLanded } from './store.ts';
import { expiryAfter } from './time.ts';
import { settled, type WriteOf } from './transition.ts';

/** A time-out says that the handler is still running: its claim can be neither settled nor released. */
const REQUEST_TIMEOUT = 408;

/** A claimed operation whose handler has no external effect that could be looked up. */
export class UngatedOperation {
  readonly #protocol: Protocol;
  readonly #claim: ExecutingClaim;
  readonly #policy: AnswerPolicy;

  constructor(protocol: Protocol, claim: ExecutingClaim, policy: AnswerPolicy) {
    this.#protocol = protocol;
    this.#claim = claim;
    this.#policy = policy;
  }

  /**
   * The handler returned: its answer is stored before it leaves, or the key is released where it is not final.
   * A store that fails now leaves the claim as it is, because the handler has run: 503, never a second run.
   */
  async complete(response: StoredResponse): Promise<Answer> {
    if (response.status === REQUEST_TIMEOUT) return problem(outcomePending('own'));
    if (!isKept(response.status, this.#policy)) {
      await this.release();
      return final(response);
    }
    const { store, ambient, retentionMs, observe } = this.#protocol;
    const { pk, operation } = this.#claim;
    const expiresAt = expiryAfter(ambient.now(), retentionMs);
    const outcome = { result: 'answered' } as const;
    const write: WriteOf<'settle'> = {
      kind: 'settle',
      pk,
      operation,
      outcome,
      response: storable(response),
      settledBy: 'owner',
      expiresAt,
    };
    try {
      const result = await store.write(write);
      if (hasLanded(result)) {
        observe({ kind: 'settled', operation, result: 'answered', by: 'owner' });
        if (result.kind === 'applied') this.#noteApplied(write, result.answerLost);
        return final(response);
      }
      observe({
        kind: 'anomaly',
        operation,
        reason: 'the claim of a finished handler is of another generation, or gone',
      });
    } catch (error) {
      observe({ kind: 'store-error', reason: String(error) });
    }
    return problem(outcomePending('own'));
  }

  /** What this very write said is what every replay says from now on. */
  #noteApplied(write: WriteOf<'settle'>, answerLost: string | undefined): void {
    noteLostAnswer(this.#protocol, write.operation, answerLost);
    if (answerLost === undefined) this.#protocol.cache?.keep(settled(this.#claim, write));
  }

  /** T4b. Only after the handler itself has returned or thrown. */
  async release(): Promise<void> {
    const { store, observe } = this.#protocol;
    const { pk, operation, owner } = this.#claim;
    try {
      const result = await store.write({ kind: 'release-ungated', pk, operation, owner });
      if (hasLanded(result)) observe({ kind: 'released', operation });
    } catch (error) {
      observe({ kind: 'store-error', reason: String(error) });
    }
  }
}
