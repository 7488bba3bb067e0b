declare const unit: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly [unit]: 'ms' };

/** Whole seconds since 1970-01-01T00:00:00Z, the unit of DynamoDB's TTL. */
export type EpochSeconds = number & { readonly [unit]: 's' };

export const epochMs = (value: number): EpochMs => value as EpochMs;

export const after = (moment: EpochMs, ms: number): EpochMs => epochMs(moment + ms);

/** The only place where TTL seconds are made: rounded up, so that a key never lives shorter than promised. */
export const expiryAfter = (moment: EpochMs, retentionMs: number): EpochSeconds =>
  Math.ceil((moment + retentionMs) / 1000) as EpochSeconds;

/** TTL deletion lags by days, so "expired" is always this comparison and never the item's absence. */
export const isExpired = (expiresAt: EpochSeconds, now: EpochMs): boolean => expiresAt * 1000 <= now;

/** What the core needs from the outside world; injected, so that tests and simulations own time and chance. */
export interface Ambient {
  /** Current time. Clocks decide liveness only, never whether money moves. */
  now(): EpochMs;
  /** A fresh random UUID. */
  id(): string;
  /** Uniform in [0, 1), for jitter. */
  random(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
}
