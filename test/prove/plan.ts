import type { DrawnSpace, WholeSpace } from './explore/space.ts';
import type { Size } from './options.ts';
import { GRACE_LEAP_MS, LEASE_LEAP_MS } from './sim/scenario.ts';

export interface WholeStep {
  readonly space: WholeSpace;
  readonly secondsMax: number;
}

export interface DrawnStep {
  readonly space: DrawnSpace;
  readonly schedules: number;
  readonly secondsMax: number;
}

export interface Plan {
  readonly whole: readonly WholeStep[];
  readonly drawn: readonly DrawnStep[];
  /** Drawn schedules for each mutant and provider, at most. */
  readonly mutantSchedules: number;
}

/** The clock leaps once, over the end of every lease and of the grace period, at any moment. */
const ONE_LEAP = [LEASE_LEAP_MS + GRACE_LEAP_MS] as const;
/** It leaps twice: over the leases, and over the grace period. */
const TWO_LEAPS = [LEASE_LEAP_MS, GRACE_LEAP_MS] as const;

type Sizes = readonly [requests: number, reconcilers: number, faultsMax: number];

const whole = (
  [requests, reconcilers, faultsMax]: Sizes,
  secondsMax: number,
  { dedupes = true, leapsMs = ONE_LEAP as readonly number[] } = {},
): WholeStep => ({ space: { kind: 'whole', requests, reconcilers, faultsMax, dedupes, leapsMs }, secondsMax });

/** The largest cast: three requests, two reconcilers, up to two webhook deliveries and three faults. */
const drawn = (seed: number, dedupes: boolean, schedules: number, secondsMax: number): DrawnStep => ({
  space: { kind: 'drawn', seed, requests: 3, reconcilers: 2, webhooks: 2, faultsMax: 3, dedupes },
  schedules,
  secondsMax,
});

const MINUTE = 60;

const PLANS: Readonly<Record<Size, (seed: number) => Plan>> = {
  quick: (seed) => ({
    whole: [whole([1, 1, 2], MINUTE), whole([2, 1, 1], MINUTE)],
    drawn: [drawn(seed, true, 20_000, MINUTE), drawn(seed, false, 5_000, MINUTE)],
    mutantSchedules: 500,
  }),
  usual: (seed) => ({
    whole: [
      whole([1, 1, 2], MINUTE, { leapsMs: TWO_LEAPS }),
      whole([2, 1, 1], 2 * MINUTE, { leapsMs: TWO_LEAPS }),
      whole([2, 1, 1], 2 * MINUTE, { leapsMs: TWO_LEAPS, dedupes: false }),
      whole([2, 1, 2], 2 * MINUTE),
      whole([2, 2, 1], 2 * MINUTE),
    ],
    drawn: [drawn(seed, true, 100_000, 2 * MINUTE), drawn(seed, false, 20_000, MINUTE)],
    mutantSchedules: 2_000,
  }),
  long: (seed) => ({
    whole: [
      whole([1, 1, 2], MINUTE, { leapsMs: TWO_LEAPS }),
      whole([2, 1, 1], 3 * MINUTE, { leapsMs: TWO_LEAPS }),
      whole([2, 1, 1], 3 * MINUTE, { leapsMs: TWO_LEAPS, dedupes: false }),
      whole([2, 1, 2], 10 * MINUTE),
      whole([2, 2, 1], 10 * MINUTE),
      whole([3, 1, 1], 10 * MINUTE),
    ],
    drawn: [drawn(seed, true, 10_000_000, 40 * MINUTE), drawn(seed, false, 500_000, 5 * MINUTE)],
    mutantSchedules: 5_000,
  }),
};

export const planOf = (size: Size, seed: number): Plan => PLANS[size](seed);
