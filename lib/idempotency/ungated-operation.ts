import { type Answer, final, outcomePending, problem } from './answers.ts';
import type { ExecutingClaim, StoredResponse } from './claim.ts';
import type { Protocol } from './protocol.ts';
import { storable } from './replay.ts';
import { hasLanded } from './store.ts';
import { expiryAfter } from './time.ts';

/** What becomes of the key when the handler itself fails. */
export type On5xx = 'release' | 'store';

/** A time-out says that the handler is still running: its claim can be neither settled nor released. */
const REQUEST_TIMEOUT = 408;

/** 429 asks for another attempt, so it cannot be the answer to every attempt. */
const isFinal = (status: number, on5xx: On5xx): boolean => status !== 429 && (status < 500 || on5xx === 'store');

/** A claimed operation whose handler has no external effect that could be looked up. */
export class UngatedOperation {
  readonly #protocol: Protocol;
  readonly #claim: ExecutingClaim;
  readonly #on5xx: On5xx;

  constructor(protocol: Protocol, claim: ExecutingClaim, on5xx: On5xx) {
    this.#protocol = protocol;
    this.#claim = claim;
    this.#on5xx = on5xx;
  }

  /**
   * The handler returned: its answer is stored before it leaves, or the key is released where it is not final.
   * A store that fails now leaves the claim as it is, because the handler has run: 503, never a second run.
   */
  async complete(response: StoredResponse): Promise<Answer> {
    if (response.status === REQUEST_TIMEOUT) return problem(outcomePending('own'));
    if (!isFinal(response.status, this.#on5xx)) {
      await this.release();
      return final(response);
    }
    const { store, ambient, retentionMs, observe } = this.#protocol;
    const { pk, operation } = this.#claim;
    const expiresAt = expiryAfter(ambient.now(), retentionMs);
    const outcome = { result: 'answered' } as const;
    try {
      const stored = storable(response);
      const write = {
        kind: 'settle',
        pk,
        operation,
        outcome,
        response: stored,
        settledBy: 'owner',
        expiresAt,
      } as const;
      const result = await store.write(write);
      if (hasLanded(result)) {
        observe({ kind: 'settled', operation, result: 'answered', by: 'owner' });
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
