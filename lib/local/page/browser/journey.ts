import type { ClaimView, Trip } from '../wire.ts';
import { hasEnded } from './state.ts';

/** The stations by index, from left to right. */
export const STATION = { phone: 0, tunnel: 1, api: 2, fn: 3, store: 4, provider: 5 } as const;

/** Where an attempt is drawn, and how far it got. */
export interface Journey {
  readonly at: number;
  readonly reached: number;
  readonly look: 'travelling' | 'good' | 'wait' | 'lost' | 'refused';
}

/**
 * The tunnel knows where an attempt is on its side; how far it got behind the API follows from its answer and, while it
 * runs, from the state of its claim.
 */
export function journeyOf(trip: Trip, others: readonly Trip[], claim: ClaimView | undefined): Journey {
  const reached = reachedOf(trip, others, claim);
  switch (trip.state) {
    case 'outbound':
      return { at: STATION.tunnel, reached, look: 'travelling' };
    case 'service':
      return { at: reached, reached, look: 'travelling' };
    case 'returning':
      return { at: STATION.tunnel, reached, look: lookOf(trip) };
    case 'delivered':
      return { at: STATION.phone, reached, look: lookOf(trip) };
    case 'lost-before':
    case 'lost-after':
      return { at: STATION.tunnel, reached, look: 'lost' };
    case 'abandoned':
      return { at: STATION.phone, reached, look: 'lost' };
    default:
      return trip.state satisfies never;
  }
}

function reachedOf(trip: Trip, others: readonly Trip[], claim: ClaimView | undefined): number {
  if (!trip.arrived) return STATION.tunnel;
  const { answer } = trip;
  if (answer === null) return holdsTheClaim(trip, others) ? reachedByClaim(claim) : STATION.store;
  if (answer.code === 'idempotency-key-missing' || answer.code === 'request-invalid') return STATION.fn;
  if (answer.replayed || answer.status === 409 || answer.status === 422) return STATION.store;
  if (answer.status === 500) return claim === undefined ? STATION.fn : STATION.provider;
  return answer.status === 401 ? STATION.api : STATION.provider;
}

/** Of the attempts under one key that the service works on, the first one got in. */
const holdsTheClaim = (trip: Trip, others: readonly Trip[]): boolean =>
  others.find(({ arrived, answer }) => arrived && answer === null)?.id === trip.id;

function reachedByClaim(claim: ClaimView | undefined): number {
  if (claim === undefined) return STATION.fn;
  return claim.status === 'claimed' ? STATION.store : STATION.provider;
}

function lookOf({ answer }: Trip): Journey['look'] {
  if (answer === null) return 'travelling';
  if (answer.status < 300) return 'good';
  return answer.retryAfterSeconds !== null || answer.status >= 500 ? 'wait' : 'refused';
}

/** Whether something is at the station, so that it lights up. */
export const isBusy = (station: number, journeys: readonly { trip: Trip; journey: Journey }[]): boolean =>
  journeys.some(({ trip, journey }) => !hasEnded(trip) && journey.at === station);
