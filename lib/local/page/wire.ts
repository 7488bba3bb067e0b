/** What the page's server tells the page, in the events of `/local/watch`. */

/** Where one attempt is, or how it ended for the phone. */
export type TripState =
  /** On its way through the tunnel. */
  | 'outbound'
  /** The service has it. */
  | 'service'
  /** The answer is on its way through the tunnel. */
  | 'returning'
  | 'delivered'
  /** The connection was cut before anything arrived. */
  | 'lost-before'
  /** The connection was cut in front of the answer. */
  | 'lost-after'
  /** The phone stopped waiting. */
  | 'abandoned';

export interface TripAnswer {
  readonly status: number;
  readonly code: string | null;
  readonly retryAfterSeconds: number | null;
  readonly replayed: boolean;
}

/** One attempt, as the tunnel sees it. */
export interface Trip {
  readonly id: string;
  /** The checkout that it belongs to, and which press of its button. */
  readonly run: string;
  readonly tap: number;
  readonly number: number;
  readonly state: TripState;
  /** Whether the service got it. */
  readonly arrived: boolean;
  readonly amount: number | null;
  /** The claim's address; null for an attempt without a key. */
  readonly address: string | null;
  readonly answer: TripAnswer | null;
  /** When the answer left the service, ms since 1970. */
  readonly answeredAt: number | null;
}

/** One claim of the table. Keys are hashed at rest, so nobody can show them. */
export interface ClaimView {
  readonly address: string;
  readonly operation: string;
  readonly status: 'claimed' | 'executing' | 'unknown' | 'done';
  readonly createdAt: number;
  readonly orderId: string | null;
  readonly leaseUntil: number | null;
  readonly attempts: number;
  readonly quarantine: string | null;
  readonly result: string | null;
  readonly answered: number | null;
  readonly settledBy: string | null;
  readonly expiresAt: number | null;
}

/** One movement of money in the provider's ledger, in minor units. */
export interface LedgerRow {
  readonly amount: number;
  readonly currency: string;
  readonly orderId: string | null;
  readonly operation: string | null;
  readonly at: string;
}

export interface Timing {
  readonly functionTimeoutMs: number;
  readonly reconcileEveryMs: number | null;
}

/** The events by name. `trips` comes once per connection, `trip` for every change; the others whole, when they change. */
export interface Events {
  readonly timing: Timing;
  readonly trips: readonly Trip[];
  readonly trip: Trip;
  readonly claims: readonly ClaimView[];
  readonly ledger: readonly LedgerRow[];
}

/** What an attempt tells the tunnel about itself; the service never sees these. */
export const TUNNEL_HEADERS = {
  run: 'x-tunnel-run',
  tap: 'x-tunnel-tap',
  attempt: 'x-tunnel-attempt',
  fault: 'x-tunnel-fault',
} as const;

export type Fault = 'none' | 'before' | 'after';
