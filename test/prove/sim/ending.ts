import { isGated } from '../../../lib/idempotency/admission.ts';
import { isOpen, type OpenClaim } from '../../../lib/idempotency/claim.ts';
import type { OrderRecord } from '../../../lib/payments/records.ts';
import type { World } from './world.ts';

/** What must hold when all is quiet again. */
export function checkEnding(world: World): void {
  for (const claim of world.store.claims.values()) if (isOpen(claim)) checkOpen(world, claim);
  checkOutcomes(world);
  checkRecords(world);
}

/** Quarantine is for what no machine can know; everything else is settled. */
function checkOpen({ invariants, provider, scenario }: World, claim: OpenClaim): void {
  const { operation, quarantine } = claim;
  const isCharged = provider.intents.some((intent) => intent.operation === operation);
  const isKnowable = scenario.dedupes && !provider.stuck.has(operation);
  const isForgotten = quarantine?.includes('forgotten') === true;
  const isExcused = !isKnowable || isForgotten;
  if (isCharged || quarantine === undefined ? !isWaiting(claim, isExcused && !isCharged) : !isExcused)
    invariants.fail(
      'everything ends settled, or quarantined for a reason',
      `${operation} is ${claim.status}, ${quarantine ?? 'not quarantined'}`,
    );
}

/** Where nobody can know anything, the looks before the quarantine take more than a day. */
const isWaiting = (claim: OpenClaim, isExcused: boolean): boolean => isExcused && isGated(claim);

function checkOutcomes({ invariants, provider }: World): void {
  for (const { intent } of provider.movements) {
    const settled = invariants.settled.get(intent.operation);
    const isTold = settled?.claim.outcome.result === 'performed' && settled.claim.outcome.ref === intent.ref;
    if (!isTold)
      invariants.fail(
        'performed is stored if and only if the provider charged that amount',
        `${intent.operation} was charged and is ${settled?.claim.outcome.result ?? 'not settled'}`,
      );
  }
}

function checkRecords({ invariants, provider, store, queued }: World): void {
  const paid = new Set<string>();
  for (const { table, key, record } of store.records.values()) {
    if (table === 'orders') {
      // Only the payments code writes orders.
      const { operation, state } = record as OrderRecord;
      const isHeld = [...store.claims.values()].some((claim) => claim.operation === operation && isOpen(claim));
      const isPaid = provider.movements.some(({ intent }) => intent.operation === operation);
      if (state === 'pending' ? !isHeld : !isPaid)
        invariants.fail('an order is locked by an open operation only', `${key} is ${state} for ${operation}`);
    } else if (record['status'] === 'succeeded') {
      paid.add(String(record['operation']));
      if (record['receipt'] !== 'queued' || !queued.has(`receipt:${key}`))
        invariants.fail('everything ends settled, or quarantined for a reason', `no receipt of ${key}`);
    } else if (record['status'] === 'processing') {
      invariants.fail('everything ends settled, or quarantined for a reason', `${key} is still processing`);
    }
  }
  for (const { intent } of provider.movements) {
    if (!paid.delete(intent.operation))
      invariants.fail('a payment is recorded if and only if it was performed', `${intent.operation} is not recorded`);
  }
  for (const operation of paid)
    invariants.fail('a payment is recorded if and only if it was performed', `${operation} moved no money`);
}
