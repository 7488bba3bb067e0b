import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import { type DeduplicateOptions, deduplicate, type FailedMessage } from '../../lib/middy/deduplicate.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { lambdaContext } from './events.ts';
import { budgetOf, type FakeAmbient, fakeAmbient } from './fake-ambient.ts';
import { faultyStore } from './faulty-store.ts';

export const DAY_MS = 24 * 60 * 60 * 1_000;
export const WORK_MS = 5_000;
export const FUNCTION_MS = 30_000;
export const STANDARD = 'arn:aws:sqs:eu-central-1:123456789012:jobs';
export const FIFO = `${STANDARD}.fifo`;

let messages = 0;

/** A message with a job in its body, and an id of its own. */
export function message(key: string, { group, arn = STANDARD }: { group?: string; arn?: string } = {}): SQSRecord {
  messages += 1;
  const attributes = { ...(group !== undefined && { MessageGroupId: group }) };
  // Only the members that anybody reads.
  return { messageId: `m-${messages}`, body: key, eventSourceARN: arn, attributes } as SQSRecord;
}

export const inGroup = (key: string, group: string): SQSRecord => message(key, { group, arn: FIFO });

/** A consumer that notes its jobs; a job named "bad…" fails, a body named "junk…" is no job. */
export function consumer(options: Partial<DeduplicateOptions<string>> & { readonly ambient?: FakeAmbient } = {}) {
  const { ambient = fakeAmbient() } = options;
  const store = faultyStore(memoryStore({ now: ambient.now }));
  const worked: string[] = [];
  const failures: FailedMessage[] = [];
  const events: ProtocolEvent[] = [];
  const work = deduplicate<string>({
    store,
    ambient,
    workMs: WORK_MS,
    read: (body) =>
      body.startsWith('junk') ? { kind: 'malformed', reason: 'junk' } : { kind: 'job', key: body, job: `job ${body}` },
    work: async (job) => {
      worked.push(job.slice('job '.length));
      if (job.startsWith('job bad')) throw new Error(`${job} failed`);
    },
    onFailed: (failed) => failures.push(failed),
    observe: (event) => events.push(event),
    ...options,
  });
  const handler = middy<SQSEvent, SQSBatchResponse>().handler(work);
  return {
    ambient,
    store,
    worked,
    failures,
    kinds: () => events.map(({ kind }) => kind),
    /** The ids of the messages that are reported as failed. */
    receive: async (Records: SQSRecord[], remainingMs = FUNCTION_MS): Promise<readonly string[]> => {
      const result = await handler({ Records }, lambdaContext(budgetOf(ambient, remainingMs).remainingMs));
      return result.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
  };
}

export const ids = (...of: SQSRecord[]): readonly string[] => of.map(({ messageId }) => messageId);
