import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Budget } from '../idempotency/budget.ts';
import type { Protocol, ProtocolEvent } from '../idempotency/protocol.ts';
import type { Store } from '../idempotency/store.ts';
import type { Ambient } from '../idempotency/time.ts';
import { once } from './once.ts';

export type JobReading<J> =
  | { readonly kind: 'job'; readonly key: string; readonly job: J }
  /** The body is no job, now or ever: it goes to the dead letters. */
  | { readonly kind: 'malformed'; readonly reason: string };

/** A message that was not worked off; the queue delivers it again, or puts it among the dead letters. */
export interface FailedMessage {
  readonly messageId: string;
  readonly reason: string;
}

export interface DeduplicateOptions<J> {
  readonly store: Store;
  readonly ambient: Ambient;
  /** Finds the job and its own key in a body. A message's id will not do: who queues a job twice gets two of them. */
  readonly read: (body: string) => JobReading<J>;
  /** Does one job; must end within `workMs`, and must bear to be done again after a crash. */
  readonly work: (job: J, budget: Budget) => Promise<void>;
  /** Milliseconds that one job takes at most; with less time left the rest of a batch is left for later. */
  readonly workMs: number;
  /** The name of this kind of job: keys of two kinds never meet. @default 'jobs' */
  readonly scope?: string;
  /** How long a job that was done is remembered. @default 35 days */
  readonly retentionMs?: number;
  /** For logs and metrics; must not throw. @default nothing */
  readonly observe?: (event: ProtocolEvent) => void;
  /** For logs and alarms; must not throw. @default nothing */
  readonly onFailed?: (message: FailedMessage) => void;
}

/**
 * A queue keeps a message for up to 14 days, the dead letters for as long again, and an operator may take a week to send
 * one of them back.
 */
const RETENTION_MS_DEFAULT = 35 * 24 * 60 * 60 * 1_000;

const FIFO_SUFFIX = '.fifo';

/**
 * A handler for batches of SQS messages that does each job once, whatever the queue delivers twice.
 *
 * What fails, is still at work elsewhere or has no time left is reported as a partial batch failure, so the event source
 * needs `ReportBatchItemFailures`. On a FIFO queue everything behind a failed message of the same group fails with it,
 * so that the group keeps its order.
 *
 * @example
 * export const handler = middy().handler(deduplicate({ store, ambient, read: readJob, work: sendMail, workMs: 5_000 }));
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function deduplicate<J>(
  options: DeduplicateOptions<J>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const { store, ambient, onFailed = () => {}, observe = () => {} } = options;
  const protocol: Protocol = { store, ambient, observe, retentionMs: options.retentionMs ?? RETENTION_MS_DEFAULT };

  return async ({ Records }, context) => {
    const budget = { remainingMs: () => context.getRemainingTimeInMillis() };
    const stopped = new Set<string>();
    const batchItemFailures: { itemIdentifier: string }[] = [];
    // One after the other: a group's order is the batch's, and a batch is small.
    for (const record of Records) {
      const group = groupOf(record);
      const isBehind = group !== undefined && stopped.has(group);
      const end = isBehind ? BEHIND : await attempt(protocol, options, record, budget);
      if (end.kind === 'done') continue;
      // What is no job has no place in its group's order, and must not keep the others from theirs.
      if (end.kind === 'failed' && group !== undefined) stopped.add(group);
      batchItemFailures.push({ itemIdentifier: record.messageId });
      onFailed({ messageId: record.messageId, reason: end.reason });
    }
    return { batchItemFailures };
  };
}

/** The group whose order counts; a standard queue may have groups too, for fairness only. */
const groupOf = ({ eventSourceARN, attributes }: SQSRecord): string | undefined =>
  eventSourceARN.endsWith(FIFO_SUFFIX) ? attributes.MessageGroupId : undefined;

type End =
  /** Now or before. */
  { readonly kind: 'done' } | { readonly kind: 'failed' | 'malformed'; readonly reason: string };

const failed = (reason: string): End => ({ kind: 'failed', reason });
const BEHIND = failed('an earlier message of its group failed');
const BUSY = failed('another delivery is at it, or too little time was left');

async function attempt<J>(
  protocol: Protocol,
  { read, work, workMs, scope = 'jobs' }: DeduplicateOptions<J>,
  { body }: SQSRecord,
  budget: Budget,
): Promise<End> {
  try {
    const reading = read(body);
    if (reading.kind === 'malformed') return reading;
    const end = await once(protocol, { scope, key: reading.key, budget, workMs }, async () => {
      await work(reading.job, budget);
      return { kind: 'done' };
    });
    return end.kind === 'busy' ? BUSY : { kind: 'done' };
  } catch (error) {
    return failed(String(error));
  }
}
