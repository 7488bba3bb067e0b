/** What the package exports as `./constructs`. */
export { IdempotencyTable, type IdempotencyTableProps } from '../constructs/idempotency-table.ts';
export { JobQueue, type JobQueueProps } from '../constructs/job-queue.ts';
export { Reconciler, type ReconcilerProps } from '../constructs/reconciler.ts';
