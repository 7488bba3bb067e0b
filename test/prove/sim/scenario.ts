import type { Dice } from './dice.ts';

/** A client's request: who, under which key, for what. */
export interface RequestSpec {
  readonly subject: string;
  readonly key: string;
  readonly orderId: string;
  readonly amount: number;
  readonly paymentMethod: string;
}

/** What a payment method does at the simulated provider. */
export const METHODS = {
  good: 'pm_good',
  declined: 'pm_declined',
  /** Accepted at once, and succeeds or fails later. */
  asyncGood: 'pm_async_good',
  asyncBad: 'pm_async_bad',
} as const;

/** Everything that is fixed before the first move. */
export interface Scenario {
  readonly requests: readonly RequestSpec[];
  readonly reconcilers: number;
  readonly webhooks: number;
  /** How far the clock leaps, in order; when, is a matter of choice. */
  readonly leapsMs: readonly number[];
  readonly faultsMax: number;
  /** Whether the provider remembers keys. */
  readonly dedupes: boolean;
  /** How long it does so; at least what it promises. */
  readonly keyMemoryMs: number;
  /** How far each actor's clock is ahead of the true one, by the actor's number. */
  readonly skewsMs: readonly number[];
  /** How eager each actor is, by its number; the last one is time itself. */
  readonly weights: readonly number[];
  /** Whether calls that are still on their way when all actors have ended arrive while the reconciler cleans up. */
  readonly landsLate: boolean;
  /** Whether, in the end, every client asks once more. */
  readonly asksAgain: boolean;
  /**
   * Leaves out schedules that differ from others in nothing but names and orders that make no difference: beginning
   * touches nothing that is shared, so it comes first or right after a leap of the clock; of identical actors that began
   * at the same time the first one calls first.
   */
  readonly isReduced: boolean;
  /** Whether an early time-out takes one of the faults. */
  readonly countsTimeouts: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The function's ten seconds, the lease's margin, and one more. */
export const LEASE_LEAP_MS = 16_000;
export const GRACE_MS = MINUTE_MS;
export const GRACE_LEAP_MS = GRACE_MS + 1_000;
export const RETENTION_MS = 24 * HOUR_MS;
export const KEY_RETENTION_MS = 24 * HOUR_MS;

export const FIRST: RequestSpec = {
  subject: 'alice',
  key: 'key-1',
  orderId: 'order-1',
  amount: 500,
  paymentMethod: METHODS.good,
};

/** A scenario for the exhaustive search: equal requests, exact clocks, the leaps that matter. */
export const exhaustiveScenario = (sizes: {
  readonly requests: number;
  readonly reconcilers: number;
  readonly faultsMax: number;
  readonly dedupes: boolean;
  readonly leapsMs: readonly number[];
}): Scenario => ({
  requests: Array.from({ length: sizes.requests }, () => FIRST),
  reconcilers: sizes.reconcilers,
  webhooks: 0,
  leapsMs: sizes.leapsMs,
  faultsMax: sizes.faultsMax,
  dedupes: sizes.dedupes,
  keyMemoryMs: KEY_RETENTION_MS,
  skewsMs: [],
  weights: [],
  landsLate: false,
  asksAgain: true,
  isReduced: true,
  countsTimeouts: true,
});

export interface RandomSizes {
  readonly requests: number;
  readonly reconcilers: number;
  readonly webhooks: number;
  readonly faultsMax: number;
  readonly dedupes: boolean;
}

/** Seconds, ends of leases, of the grace period, of the provider's memory, of the retention. */
const LEAPS_MS = [
  1_000,
  LEASE_LEAP_MS,
  LEASE_LEAP_MS,
  GRACE_LEAP_MS,
  GRACE_LEAP_MS,
  16 * MINUTE_MS,
  23 * HOUR_MS + 30 * MINUTE_MS,
  25 * HOUR_MS,
] as const;

/** Clocks differ by far less than the hour that is kept from the end of the provider's memory. */
const SKEWS_MS = [0, 0, 0, 0, 2_000, -2_000, 60_000, -60_000, 20 * MINUTE_MS, -20 * MINUTE_MS] as const;

const WEIGHTS = [1, 4, 16, 64] as const;

const METHODS_DRAWN = [
  ...Array.from({ length: 7 }, () => METHODS.good),
  METHODS.declined,
  METHODS.asyncGood,
  METHODS.asyncBad,
] as const;

/** Asking costs as much as the rest of the clean-up, and what is stored is compared with the ledger anyway. */
const ASKS_AGAIN = 0.25;

/** A scenario around one key: mostly equal requests, and everybody who may get into their way. */
export function randomScenario(dice: Dice, sizes: RandomSizes): Scenario {
  const first: RequestSpec = { ...FIRST, paymentMethod: dice.pick(METHODS_DRAWN) };
  const { requests, reconcilers, webhooks, faultsMax, dedupes } = sizes;
  const actors = requests + reconcilers + webhooks;
  return {
    requests: [first, ...Array.from({ length: requests - 1 }, () => another(dice, first))],
    reconcilers,
    webhooks: dice.below(webhooks + 1),
    leapsMs: Array.from({ length: dice.below(5) }, () => dice.pick(LEAPS_MS)),
    faultsMax,
    dedupes,
    keyMemoryMs: KEY_RETENTION_MS * (dice.chance(0.5) ? 1 : 3),
    skewsMs: Array.from({ length: actors }, () => dice.pick(SKEWS_MS)),
    weights: Array.from({ length: actors + 1 }, () => dice.pick(WEIGHTS)),
    landsLate: dice.chance(0.3),
    asksAgain: dice.chance(ASKS_AGAIN),
    isReduced: false,
    countsTimeouts: false,
  };
}

function another(dice: Dice, first: RequestSpec): RequestSpec {
  const drawn = dice.below(100);
  if (drawn < 62) return first;
  if (drawn < 78) return { ...first, key: 'key-2' };
  if (drawn < 86) return { ...first, amount: 700 };
  if (drawn < 94) return { ...first, subject: 'bob', orderId: 'order-2' };
  return { ...first, subject: 'bob', amount: 900, paymentMethod: METHODS.good };
}
