import type { ClaimedClaim } from './claim.ts';
import { type DoneClaim, type ExecutingClaim, type Found, type Gate, isOpen, type UnknownClaim } from './claim.ts';
import type { Fingerprint } from './fingerprint.ts';
import { type EpochMs, isExpired } from './time.ts';

/** An open claim behind its gate: its effect can be looked up. */
export type GatedClaim = (ExecutingClaim | UnknownClaim) & { readonly gate: Gate };

export const isGated = (found: Found): found is GatedClaim =>
  isOpen(found) && found.status !== 'claimed' && found.gate !== undefined;

/** What becomes of a request that met an item under its key. */
export type Admission =
  /** Nothing there, or expired by comparison: claim. */
  | { readonly kind: 'free' }
  | { readonly kind: 'replay'; readonly claim: DoneClaim }
  /** `stored` is what the claim was made with. */
  | { readonly kind: 'mismatch'; readonly stored: Fingerprint }
  | { readonly kind: 'in-progress'; readonly leaseLeftMs: number }
  /** The owner died before the gate. */
  | { readonly kind: 'take-over'; readonly claim: ClaimedClaim }
  /** The owner died, or gave up, behind the gate. */
  | { readonly kind: 'recover'; readonly claim: GatedClaim }
  /** The owner of an ungated claim died: nobody can look its effect up. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'under-review' }
  /** Written by newer code. */
  | { readonly kind: 'unreadable'; readonly v: number };

/** Decides what a request may do with the item that it met. The fingerprint comes before everything else. */
export function admit(
  found: Found,
  request: { readonly fingerprint: Fingerprint; readonly scope: string },
  now: EpochMs,
): Admission {
  if (found === undefined) return { kind: 'free' };
  if (found.status === 'newer') return { kind: 'unreadable', v: found.v };
  if (found.status === 'done' && isExpired(found.expiresAt, now)) return { kind: 'free' };
  if (found.fingerprint !== request.fingerprint || found.scope !== request.scope)
    return { kind: 'mismatch', stored: found.fingerprint };
  if (found.status === 'done') return { kind: 'replay', claim: found };
  if (found.quarantine !== undefined) return { kind: 'under-review' };
  // A takeover asks for a lease that has ended; behind the gate nothing is taken over, so its end is soon enough.
  const isHeld = found.status === 'claimed' ? found.leaseUntil >= now : found.leaseUntil > now;
  if (isHeld) return { kind: 'in-progress', leaseLeftMs: Math.max(1, found.leaseUntil - now) };
  if (found.status === 'claimed') return { kind: 'take-over', claim: found };
  return isGated(found) ? { kind: 'recover', claim: found } : { kind: 'pending' };
}
