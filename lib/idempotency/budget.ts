import { after, type EpochMs } from './time.ts';

/** Covers the difference between two machines' clocks and the time from the last write to the end of the process. */
const LEASE_MARGIN_MS = 5_000;

/** What a settlement takes at worst: one attempt that times out and one that succeeds. */
const SETTLE_RESERVE_MS = 1_000;

/** From the last write to the answer's departure. */
const EXIT_MARGIN_MS = 300;

/** A provider's call shorter than this would mostly end in doubt. */
const EFFECT_MIN_MS = 700;

/** One write to the store in ordinary conditions. */
const WRITE_MS = 500;

/** A look-up is one indexed query; a provider that needs longer is better asked again later. */
const LOOKUP_MAX_MS = 5_000;

/** Least time in which a request with an effect can be claimed, gated, performed and settled. */
export const GATED_START_MIN_MS = 2 * WRITE_MS + EFFECT_MIN_MS + SETTLE_RESERVE_MS + EXIT_MARGIN_MS;

/** Least time in which a plain handler can be claimed and settled. */
export const UNGATED_START_MIN_MS = WRITE_MS + SETTLE_RESERVE_MS + EXIT_MARGIN_MS;

/** Least time in which the gate can be passed and the effect performed and settled, the claim being made. */
export const PERFORM_MIN_MS = GATED_START_MIN_MS - WRITE_MS;

/** Longer than a store takes to give up once more, so that the answer still leaves. */
export const WITHDRAWAL_MIN_MS = 3_500;

/** The time that one invocation has, and how it is shared out. */
export interface Budget {
  /** Milliseconds until the function is killed. */
  remainingMs(): number;
}

export const leaseFrom = (now: EpochMs, budget: Budget): EpochMs =>
  after(now, Math.max(0, budget.remainingMs()) + LEASE_MARGIN_MS);

/**
 * How long a call to the provider may take, in `pauseMs` from now, so that its answer can still be written down;
 * `undefined` when too short.
 */
export function effectTimeoutMs(budget: Budget, pauseMs = 0): number | undefined {
  const timeoutMs = budget.remainingMs() - pauseMs - SETTLE_RESERVE_MS - EXIT_MARGIN_MS;
  return timeoutMs < EFFECT_MIN_MS ? undefined : Math.floor(timeoutMs);
}

export function lookupTimeoutMs(budget: Budget): number | undefined {
  const timeoutMs = effectTimeoutMs(budget);
  return timeoutMs === undefined ? undefined : Math.min(timeoutMs, LOOKUP_MAX_MS);
}
