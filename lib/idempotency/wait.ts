import { type Admission, admit } from './admission.ts';
import type { Budget } from './budget.ts';
import type { Found } from './claim.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { Protocol } from './protocol.ts';
import type { EpochMs } from './time.ts';

/** Most handlers are done within this; the pauses double up to the longest, which bounds what a slow one costs. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 1_000;

export interface Waiting {
  readonly pk: string;
  readonly fingerprint: Fingerprint;
  readonly scope: string;
  readonly budget: Budget;
  /** Until when a request may wait for another one with its key. */
  readonly until: EpochMs;
  /** What must be left of the function's time afterwards, in which the request may still have to run itself. */
  readonly reserveMs: number;
}

/**
 * What a request may do with the item that it met, once the one that holds it has finished or the wait is over: it asks
 * the store again and again with growing pauses, and never longer than it was told or than the function's time allows.
 */
export async function admitAfterWait(protocol: Protocol, met: Found, waiting: Waiting): Promise<Admission> {
  const { store, ambient } = protocol;
  let found = met;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(PAUSE_MS_MAX, 2 * pauseMs)) {
    const admission = admit(found, waiting, ambient.now());
    const leftMs = Math.min(waiting.until - ambient.now(), waiting.budget.remainingMs() - waiting.reserveMs);
    if (admission.kind !== 'in-progress' || leftMs <= 0) return admission;
    // Half of a pause is chance, so that requests which came together do not ask together.
    await ambient.sleep(Math.min(leftMs, pauseMs * (1 - ambient.random() / 2)));
    found = await store.read(waiting.pk);
  }
}
