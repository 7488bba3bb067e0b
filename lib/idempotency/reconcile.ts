import { type Budget, effectTimeoutMs } from './budget.ts';
import { reconcileClaim } from './due-claim.ts';
import type { Effect } from './effect.ts';
import type { JsonObject } from './json.ts';
import type { Protocol } from './protocol.ts';
import { emptyReport, noteError, type ReconcileReport } from './reconcile-report.ts';
import type { Due } from './store.ts';
import type { EpochMs } from './time.ts';

/** One page of the due index; small, so that a run notices the end of its time. */
const PAGE_SIZE = 50;

/** Look-ups at once: below the rate that providers allow one account. */
const CONCURRENCY = 8;

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
  const { shards } = protocol.store;
  // Begins anywhere, so that the last shards do not starve when no run gets through to them.
  const first = Math.floor(protocol.ambient.random() * shards);
  for (let n = 0; n < shards && !report.outOfTime; n++) {
    await sweep(protocol, options, (first + n) % shards, until, report).catch((error: unknown) =>
      noteError(protocol, error, report),
    );
  }
  return report;
}

/** One shard, page by page; what fails here must not keep the other shards from their turn. */
async function sweep<C extends JsonObject>(
  protocol: Protocol,
  options: ReconcileOptions<C>,
  shard: number,
  until: EpochMs,
  report: ReconcileReport,
): Promise<void> {
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
    await reconcileClaim(protocol, options, due.pk, report);
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
