import type { Trip } from './wire.ts';

/** More than anybody looks back. */
const TRIPS_MAX = 400;

export type NewTrip = Pick<Trip, 'id' | 'run' | 'tap' | 'amount' | 'address'>;

/** The attempts that entered the tunnel, the newest ones only. */
export class Trips {
  readonly #byId = new Map<string, Trip>();
  readonly #onChange: (trip: Trip) => void;

  constructor(onChange: (trip: Trip) => void) {
    this.#onChange = onChange;
  }

  get all(): readonly Trip[] {
    return [...this.#byId.values()];
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  start(trip: NewTrip): void {
    const number = this.all.filter(({ run }) => run === trip.run).length + 1;
    this.#put({ ...trip, number, state: 'outbound', arrived: false, answer: null, answeredAt: null });
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > TRIPS_MAX && oldest !== undefined) this.#byId.delete(oldest);
  }

  /** The state of an attempt that has ended for the phone stays; what becomes of it at the service is still noted. */
  change(id: string, change: Partial<Pick<Trip, 'state' | 'arrived' | 'answer' | 'answeredAt'>>): void {
    const trip = this.#byId.get(id);
    if (trip === undefined) return;
    this.#put({ ...trip, ...change, state: hasEnded(trip) ? trip.state : (change.state ?? trip.state) });
  }

  #put(trip: Trip): void {
    this.#byId.set(trip.id, trip);
    this.#onChange(trip);
  }
}

const hasEnded = ({ state }: Trip): boolean => state !== 'outbound' && state !== 'service' && state !== 'returning';
