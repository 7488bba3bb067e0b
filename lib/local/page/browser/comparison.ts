import { intentions } from '../../../client/intentions.ts';
import { memoryStorage } from '../../../client/memory-storage.ts';
import { systemAmbient } from '../../../client/system.ts';
import type { Trip } from '../wire.ts';
import { authorization, PAYMENTS, paymentBody } from './phone.ts';
import { AMOUNT, SCENARIOS } from './scenarios.ts';
import { type Run, repeatedOrder } from './state.ts';

/**
 * The attempts that a service without keys would have executed: those that arrived, of each press until the first one
 * whose answer would have reached the phone. A client that has its answer stops.
 */
export function executedWithoutKeys(trips: readonly Trip[]): readonly Trip[] {
  const answeredTaps = new Set<number>();
  return trips.filter((trip) => {
    if (!trip.arrived || answeredTaps.has(trip.tap)) return false;
    const isCrash = (trip.answer?.status ?? 500) === 500;
    if (trip.state === 'delivered' && !isCrash) answeredTaps.add(trip.tap);
    return true;
  });
}

/** Sends them once more to the same service, each with a key and an order of its own, and waits for their answers. */
export async function repeatWithoutKeys(run: Run, trips: readonly Trip[]): Promise<void> {
  const client = intentions({ ...systemAmbient, storage: memoryStorage(), headers: authorization });
  const { paymentMethod } = SCENARIOS[run.scenario];
  const pay = async (trip: Trip, at: number): Promise<void> => {
    const body = paymentBody(repeatedOrder(run.orderId, at), paymentMethod, trip.amount ?? AMOUNT);
    const intention = await client.open(String(at), { url: PAYMENTS, body });
    await intention.send();
  };
  await Promise.all(executedWithoutKeys(trips).map(pay));
}
