import { type DoneClaim, type Found, isOpen } from './claim.ts';
import { type EpochMs, isExpired } from './time.ts';

/** The state of a key, as its owner may see it. */
export type KeyStatus =
  | { readonly state: 'unknown' }
  /** The first request is running. */
  | { readonly state: 'in-progress'; readonly retryAfterMs: number }
  /** Its owner is gone; somebody will settle it. */
  | { readonly state: 'pending' }
  | { readonly state: 'under-review' }
  | { readonly state: 'completed'; readonly claim: DoneClaim }
  /** Written by newer code. */
  | { readonly state: 'unreadable' };

export function keyStatus(found: Found, scope: string, now: EpochMs): KeyStatus {
  if (found === undefined) return { state: 'unknown' };
  if (found.status === 'newer') return { state: 'unreadable' };
  if (found.scope !== scope) return { state: 'unknown' };
  if (!isOpen(found))
    return isExpired(found.expiresAt, now) ? { state: 'unknown' } : { state: 'completed', claim: found };
  if (found.quarantine !== undefined) return { state: 'under-review' };
  return found.leaseUntil > now ? { state: 'in-progress', retryAfterMs: found.leaseUntil - now } : { state: 'pending' };
}
