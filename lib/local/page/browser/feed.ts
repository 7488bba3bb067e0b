import type { Events, Trip } from '../wire.ts';
import type { Store } from './store.ts';

/** Follows the local run; the browser reconnects by itself. */
export function followFeed(store: Store): void {
  const source = new EventSource('/local/watch');
  const on = <Name extends keyof Events>(name: Name, apply: (data: Events[Name]) => void): void => {
    source.addEventListener(name, (event) => apply(JSON.parse((event as MessageEvent).data)));
  };
  source.addEventListener('open', () => store.set({ isConnected: true }));
  source.addEventListener('error', () => store.set({ isConnected: false }));
  on('timing', (timing) => store.set({ timing }));
  on('trips', (trips) => store.set({ trips }));
  on('trip', (trip) => store.set({ trips: withTrip(store.get().trips, trip) }));
  on('claims', (claims) => store.set({ claims }));
  on('ledger', (ledger) => store.set({ ledger }));
}

function withTrip(trips: readonly Trip[], trip: Trip): readonly Trip[] {
  const at = trips.findIndex(({ id }) => id === trip.id);
  return at < 0 ? [...trips, trip] : trips.with(at, trip);
}
