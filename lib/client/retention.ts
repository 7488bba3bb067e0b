export interface Retention {
  /** How long the server remembers a key at the least; behind it the same request would be a new one. */
  readonly retentionMs: number;
  /** For a clock that is corrected in between, and for the attempt's own travel. */
  readonly clockMarginMs: number;
}

/**
 * Whether the server still remembers what was sent at `sentAt`.
 *
 * A moment that lies in the future by more than the margin was written by a clock that was wrong, or is read by one:
 * the true age is unknown, so the answer is no, as it is for an absurdly old one.
 */
export function isRemembered(sentAt: number, now: number, { retentionMs, clockMarginMs }: Retention): boolean {
  const ageMs = now - sentAt;
  return ageMs >= -clockMarginMs && ageMs < retentionMs - clockMarginMs;
}
