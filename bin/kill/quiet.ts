import { setTimeout as sleep } from 'node:timers/promises';
import type { Intention } from './intention.ts';
import { mayWaitForOperator } from './oracle.ts';
import type { Service } from './service.ts';
import { isClientClaim, recordOf, type Table } from './table.ts';

/**
 * From the last kill to the moment when nothing is open: a lease, the grace period and a few looks, in all some 20 s;
 * a busy machine needs longer.
 */
const QUIET_MS_MAX = 240_000;
const QUIET_POLL_MS = 700;

/** Replays at once in the end. */
const REPLAYS = 8;

/** Nothing is open, or the time for it is over; which of the two, the oracle will see. */
export async function untilQuiet(
  service: Service,
  intentions: ReadonlyMap<string, Intention>,
  atRest: Promise<unknown>,
): Promise<void> {
  const end = Date.now() + QUIET_MS_MAX;
  const resting = atRest.then(() => true);
  while (Date.now() < end) {
    const isAtRest = await Promise.race([resting, sleep(QUIET_POLL_MS, false)]);
    if (isAtRest && isQuiet(await service.table(), intentions)) return;
    if (isAtRest) await sleep(QUIET_POLL_MS);
  }
}

function isQuiet({ claims, payments }: Table, intentions: ReadonlyMap<string, Intention>): boolean {
  const isOpen = [...claims.values()].some(
    (claim) =>
      isClientClaim(claim) && claim['status'] !== 'done' && !mayWaitForOperator(claim, intentions.get(claim.pk)),
  );
  if (isOpen) return false;
  return payments.map(recordOf).every(({ status, receipt }) => status === 'failed' || receipt === 'queued');
}

/** Whoever asks again gets the first answer. A key without a claim is left alone: it would be a new payment. */
export async function replayAll(
  intentions: ReadonlyMap<string, Intention>,
  { claims }: Table,
  ask: (intention: Intention) => Promise<unknown>,
): Promise<void> {
  const left = [...intentions.values()].filter(({ pk }) => claims.has(pk)).values();
  const worker = async (): Promise<void> => {
    for (const intention of left) await ask(intention);
  };
  await Promise.all(Array.from({ length: REPLAYS }, worker));
}
