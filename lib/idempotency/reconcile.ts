import { isGated } from './admission.ts';
import { type Budget, effectTimeoutMs } from './budget.ts';
import type { OpenClaim, Outcome } from './claim.ts';
import { isOpen } from './claim.ts';
import type { Effect } from './effect.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import { type Recovery, recover } from './recovery.ts';
import { type Due, hasLanded } from './store.ts';
import { after, type EpochMs } from './time.ts';

/** One page of the due index; small, so that a run notices the end of its time. */
const PAGE_SIZE = 50;

/** Look-ups at once: below the rate that providers allow one account. */
const CONCURRENCY = 8;

/** The pause between two looks at one claim doubles up to this. */
const BACK_OFF_MAX_MS = 15 * 60 * 1_000;

/** Shortest pause between two looks; otherwise a tenth of the grace period, so that the period holds several looks. */
const BACK_OFF_MIN_MS = 1_000;

/** Looks at a claim whose effect is absent although its key is used up: by then no index lags any more. */
const STUCK_LOOKS_MAX = 7;

/** A day of looks at the longest pause. */
const LOOKS_MAX = 100;

/** A quarantined claim is looked at again, in case the provider finds the effect after all. */
const QUARANTINE_PAUSE_MS = 6 * 60 * 60 * 1_000;

export interface ReconcileOptions<C extends JsonObject> {
  readonly effect: Effect<C>;
  /** How long after the end of a lease an absent effect may still appear, in milliseconds. */
  readonly graceMs: number;
  readonly budget: Budget;
  /**
   * What to do about due records of the domain, by their table. Whoever leaves one `waiting` has given it a later
   * `dueAt`; a claim's own way of doing so is its lease.
   * @default none: due records are left alone
   */
  readonly records?: Readonly<Record<string, DueRecordWork>>;
}

export type DueRecordWork = (key: string, budget: Budget) => Promise<'done' | 'waiting'>;

/** What one run did. */
export interface ReconcileReport {
  examined: number;
  readonly settled: Record<Outcome['result'], number>;
  /** Claims whose owner died before the gate. */
  released: number;
  /** Records of the domain that have nothing left to wait for. */
  advanced: number;
  /** Still open, to be looked at again. */
  waiting: number;
  quarantined: number;
  errors: number;
  /** Age of the oldest claim that is still open, in milliseconds; 0 when there is none. */
  oldestOpenMs: number;
  /** Whether the run ended before its work, for lack of time; the next run goes on. */
  outOfTime: boolean;
}

/**
 * Settles the claims whose owners died: one pass over every shard of the due index.
 * Two runs at once are harmless: every step is conditional, and the first writer wins.
 */
export async function reconcile<C extends JsonObject>(
  protocol: Protocol,
  options: ReconcileOptions<C>,
): Promise<ReconcileReport> {
  const report = emptyReport();
  const until = protocol.ambient.now();
  for (let shard = 0; shard < protocol.store.shards && !report.outOfTime; shard++) {
    let from: string | undefined;
    do {
      const page = await protocol.store.due(shard, until, PAGE_SIZE, from);
      await eachOf(page.due, async (due) => {
        if (effectTimeoutMs(options.budget) === undefined) report.outOfTime = true;
        else await examine(protocol, options, due, report);
      });
      from = page.next;
    } while (from !== undefined && !report.outOfTime);
  }
  return report;
}

const emptyReport = (): ReconcileReport => ({
  examined: 0,
  settled: { performed: 0, declined: 0, 'not-performed': 0, answered: 0 },
  released: 0,
  advanced: 0,
  waiting: 0,
  quarantined: 0,
  errors: 0,
  oldestOpenMs: 0,
  outOfTime: false,
});

/** Runs `work` over the items, a bounded number at a time. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** One claim; a bad one must not keep the others from their turn. */
async function examine<C extends JsonObject>(
  protocol: Protocol,
  options: ReconcileOptions<C>,
  due: Due,
  report: ReconcileReport,
): Promise<void> {
  try {
    if (due.kind === 'record') return await advance(options, due, report);
    const claim = await lease(protocol, options, due.pk);
    if (claim === undefined) return;
    report.examined += 1;
    await resolve(protocol, options, claim, report);
  } catch (error) {
    noteError(protocol, error, report);
  }
}

async function advance<C extends JsonObject>(
  { records = {}, budget }: ReconcileOptions<C>,
  { table, key }: Extract<Due, { kind: 'record' }>,
  report: ReconcileReport,
): Promise<void> {
  const work = records[table];
  if (work === undefined) return;
  report.examined += 1;
  const end = await work(key, budget);
  if (end === 'done') report.advanced += 1;
  else report.waiting += 1;
}

function noteError({ observe }: Protocol, error: unknown, report: ReconcileReport): void {
  report.errors += 1;
  observe({ kind: 'store-error', reason: String(error) });
}

/** The index is a hint: read the claim again, and take its turn (T7) so that two runs do not double the look-ups. */
async function lease<C extends JsonObject>(
  { store, ambient }: Protocol,
  { graceMs }: ReconcileOptions<C>,
  pk: string,
): Promise<OpenClaim | undefined> {
  const now = ambient.now();
  const found = await store.read(pk);
  if (!isOpen(found) || found.dueAt > now || found.leaseUntil > now) return undefined;
  const { operation } = found;
  const pauseMs =
    found.quarantine === undefined ? backOffMs(found.attempts, graceMs, ambient.random()) : QUARANTINE_PAUSE_MS;
  const write = { kind: 'lease', pk, operation, dueWas: found.dueAt, dueAt: after(now, pauseMs) } as const;
  const result = await store.write(write);
  return result.kind === 'applied' ? { ...found, attempts: found.attempts + 1, dueAt: write.dueAt } : undefined;
}

const backOffMs = (attempts: number, graceMs: number, random: number): number => {
  const base = Math.max(BACK_OFF_MIN_MS, graceMs / 10);
  return Math.round(Math.min(BACK_OFF_MAX_MS, base * 2 ** attempts) * (1 + random / 2));
};

async function resolve<C extends JsonObject>(
  protocol: Protocol,
  { effect, graceMs, budget }: ReconcileOptions<C>,
  claim: OpenClaim,
  report: ReconcileReport,
): Promise<void> {
  const { store, ambient, observe } = protocol;
  const { pk, operation, owner } = claim;
  if (claim.status === 'claimed') {
    const result = await store.write({ kind: 'release', pk, operation, owner, lapsedAt: ambient.now() });
    if (!hasLanded(result)) return stillOpen(claim, ambient.now(), report);
    observe({ kind: 'released', operation });
    report.released += 1;
    return;
  }
  if (!isGated(claim))
    return quarantine(protocol, claim, 'the handler died and nothing can look its effect up', report);
  const isGraceOver = ambient.now() >= after(claim.leaseUntil, graceMs);
  const whenAbsent = isGraceOver ? 'close' : 'wait';
  const recovery = await recover(protocol, { effect, claim, budget, by: 'reconciler', whenAbsent }).catch(
    (error: unknown): Recovery => {
      noteError(protocol, error, report);
      return { kind: 'open', reason: String(error), stuck: false };
    },
  );
  switch (recovery.kind) {
    case 'settled':
      report.settled[recovery.outcome.result] += 1;
      return;
    case 'superseded':
      return;
    case 'hopeless':
      return quarantine(protocol, claim, recovery.reason, report);
    case 'open': {
      const looksMax = recovery.stuck ? STUCK_LOOKS_MAX : LOOKS_MAX;
      if (claim.attempts < looksMax) return stillOpen(claim, ambient.now(), report);
      return quarantine(protocol, claim, `${recovery.reason}, after ${claim.attempts} looks`, report);
    }
  }
}

function stillOpen(claim: OpenClaim, now: EpochMs, report: ReconcileReport): void {
  report.waiting += 1;
  noteAge(claim, now, report);
}

function noteAge(claim: OpenClaim, now: EpochMs, report: ReconcileReport): void {
  report.oldestOpenMs = Math.max(report.oldestOpenMs, now - claim.createdAt);
}

/** T8. A claim that is quarantined already stays so, without a second alarm. */
async function quarantine(
  { store, ambient, observe }: Protocol,
  claim: OpenClaim,
  reason: string,
  report: ReconcileReport,
): Promise<void> {
  const now = ambient.now();
  if (claim.quarantine !== undefined) return stillOpen(claim, now, report);
  noteAge(claim, now, report);
  const { pk, operation } = claim;
  const result = await store.write({
    kind: 'quarantine',
    pk,
    operation,
    reason,
    dueAt: after(now, QUARANTINE_PAUSE_MS),
  });
  if (!hasLanded(result)) return;
  report.quarantined += 1;
  observe({ kind: 'quarantined', operation, reason });
}
