import type { ClaimView, LedgerRow, Timing, Trip } from '../wire.ts';
import type { Language } from './language.ts';
import type { ScenarioId } from './scenarios.ts';

/** One checkout: one order, one scenario, one key. */
export interface Run {
  readonly id: string;
  readonly orderId: string;
  readonly scenario: ScenarioId;
  readonly key: string | null;
  /** How many attempts have left; the scenario's faults hit the first ones. */
  readonly sent: number;
  readonly isKilled: boolean;
}

export type Phase =
  | { readonly kind: 'ready' }
  | { readonly kind: 'paying' }
  | { readonly kind: 'answered'; readonly status: number }
  /** It may have happened. */
  | { readonly kind: 'unknown' };

export interface State {
  readonly language: Language;
  readonly view: 'checkout' | 'operator';
  readonly chosen: ScenarioId;
  readonly run: Run | null;
  readonly phase: Phase;
  /** The page was left in the middle of this payment and came back. */
  readonly isResumed: boolean;
  /** What a service without keys would have done is being tried. */
  readonly isComparing: boolean;
  readonly isCompared: boolean;
  readonly isConnected: boolean;
  readonly timing: Timing | null;
  readonly trips: readonly Trip[];
  readonly claims: readonly ClaimView[];
  readonly ledger: readonly LedgerRow[];
  readonly now: number;
}

/** The attempts of the checkout on the screen, in the order in which they left. */
export const tripsOf = ({ trips, run }: State): readonly Trip[] => trips.filter((trip) => trip.run === run?.id);

export function claimOf(state: State): ClaimView | undefined {
  const address = tripsOf(state).find((trip) => trip.address !== null)?.address;
  return state.claims.find((claim) => claim.address === address);
}

/** What moved for the order on the screen. */
export const chargesOf = ({ ledger, run }: State): readonly LedgerRow[] =>
  ledger.filter(({ orderId }) => run !== null && orderId === run.orderId);

/** The orders of the comparison are named after the one that they repeat. */
export const repeatedOrder = (orderId: string, at: number): string => `${orderId}.${at + 1}`;

export const repeatedChargesOf = ({ ledger, run }: State): readonly LedgerRow[] =>
  ledger.filter(({ orderId }) => run !== null && orderId?.startsWith(`${run.orderId}.`));

/** When the client will ask again at the earliest, while it waits. */
export function waitingUntil(state: State): number | undefined {
  const trips = tripsOf(state);
  if (state.phase.kind !== 'paying' || trips.length === 0 || !trips.every(hasEnded)) return undefined;
  return Math.max(
    ...trips.map(({ answer, answeredAt }) => (answeredAt ?? 0) + (answer?.retryAfterSeconds ?? 0) * 1000),
  );
}

export const hasEnded = ({ state }: Trip): boolean =>
  state !== 'outbound' && state !== 'service' && state !== 'returning';
