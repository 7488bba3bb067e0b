import type { SQSEvent } from 'aws-lambda';
import type { Outcome } from '../lambda/outcome.ts';
import type { EventSourceModel } from '../template/service-model.ts';
import { failedMessages } from './batch-result.ts';
import type { Message } from './message.ts';
import { type Queue, RECEIVE_MAX } from './queue.ts';
import type { Queues } from './queues.ts';
import { sqsEvent } from './sqs-event.ts';

/** SQS's longest poll. */
const POLL_MS = 20_000;

/** Batches at a time where the mapping sets no maximum: Lambda begins with as many. */
const CONCURRENT_DEFAULT = 5;

export interface PollersOptions {
  readonly eventSources: readonly EventSourceModel[];
  readonly queues: Queues;
  readonly invoke: (functionId: string, event: SQSEvent) => Promise<Outcome>;
}

export interface Pollers {
  /** Begins no further batch; a batch on its way is not deleted any more. */
  stop(): void;
}

/** Does for every event source mapping what Lambda does: receive, invoke, and delete what was done. */
export function startPollers({ eventSources, queues, invoke }: PollersOptions): Pollers {
  const stopping = new AbortController();
  for (const source of eventSources) {
    const queue = queues.byArn(source.queueArn);
    const count = source.concurrencyMax ?? CONCURRENT_DEFAULT;
    for (let at = 0; queue && at < count; at += 1) void poll(queue, source, invoke, stopping.signal);
  }
  return { stop: () => stopping.abort() };
}

async function poll(
  queue: Queue,
  source: EventSourceModel,
  invoke: PollersOptions['invoke'],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const batch = await gather(queue, source, signal);
    if (batch.length === 0) continue;
    // A function that cannot even be started has failed the batch, and the next one may do better.
    const outcome = await invoke(source.functionId, sqsEvent(batch, source.queueArn)).catch(
      (error: unknown): Outcome => ({ kind: 'exited', reason: String(error) }),
    );
    if (signal.aborted) return;
    const failed = failedMessages(
      outcome,
      batch.map(({ id }) => id),
      source.reportsFailures,
    );
    // What failed comes back by itself when its visibility time-out ends.
    for (const { id, receiptHandle } of batch) if (!failed.has(id)) queue.delete(String(receiptHandle));
  }
}

/**
 * Waits for a first message, then fills the batch as long as the batching window allows: at most for half the time that
 * the first one stays hidden, because the function needs the rest, and a shortened time-out would let it come twice.
 */
async function gather(queue: Queue, source: EventSourceModel, signal: AbortSignal): Promise<Message[]> {
  const batch = await queue.receive({ max: source.batchSize, waitMs: POLL_MS, signal });
  const end = Date.now() + Math.min(source.windowMs, queue.model.visibilityMs / 2);
  while (batch.length > 0 && batch.length < source.batchSize && Date.now() < end && !signal.aborted) {
    const max = Math.min(RECEIVE_MAX, source.batchSize - batch.length);
    batch.push(...(await queue.receive({ max, waitMs: end - Date.now(), signal })));
  }
  return batch;
}
