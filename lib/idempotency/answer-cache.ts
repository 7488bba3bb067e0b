import { type DoneClaim, isWhole, type StoredResponse } from './claim.ts';
import type { Fingerprint } from './fingerprint.ts';
import { type EpochMs, type EpochSeconds, isExpired } from './time.ts';

/** A settled claim, as far as a replay needs it. */
interface Cached {
  readonly operation: string;
  readonly fingerprint: Fingerprint;
  readonly scope: string;
  readonly expiresAt: EpochSeconds;
  readonly response: StoredResponse;
  readonly bytes: number;
}

interface Asking {
  readonly pk: string;
  readonly fingerprint: Fingerprint;
  readonly scope: string;
}

/** Keys, hashes and the objects around an answer, generously. */
const ENTRY_BYTES = 1_024;

const bytesOf = ({ headers, body }: StoredResponse): number =>
  ENTRY_BYTES + body.byteLength + 2 * JSON.stringify(headers).length;

/**
 * Finished answers in the memory of one execution environment, least recently used first out.
 *
 * It only ever spares a question whose answer can no longer change: open claims never enter it, a hit must have the
 * fingerprint, the scope and an expiry to come, and everything else is asked of the store.
 */
export class AnswerCache {
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Cached>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  find({ pk, fingerprint, scope }: Asking, now: EpochMs): Pick<Cached, 'operation' | 'response'> | undefined {
    const cached = this.#entries.get(pk);
    if (cached === undefined) return undefined;
    this.#remove(pk, cached);
    if (isExpired(cached.expiresAt, now)) return undefined;
    this.#add(pk, cached); // At the end of the map: the last to go.
    return cached.fingerprint === fingerprint && cached.scope === scope ? cached : undefined;
  }

  keep({ pk, operation, fingerprint, scope, expiresAt, response }: DoneClaim): void {
    if (!isWhole(response)) return;
    const bytes = bytesOf(response);
    if (bytes > this.#bytesMax) return;
    const known = this.#entries.get(pk);
    if (known !== undefined) this.#remove(pk, known);
    this.#add(pk, { operation, fingerprint, scope, expiresAt, response, bytes });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#remove(oldest, entry);
    }
  }

  #add(pk: string, cached: Cached): void {
    this.#entries.set(pk, cached);
    this.#bytes += cached.bytes;
  }

  #remove(pk: string, cached: Cached): void {
    this.#entries.delete(pk);
    this.#bytes -= cached.bytes;
  }
}
