import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ReceiptQueue } from './receipts.ts';
import { orderKeyOf } from './records.ts';

/** 2 attempts of 900 ms and one back-off of the SDK: a queue that is down costs its caller less than 3 s. */
const ATTEMPTS = 2;
const REQUEST_MS = 900;
const CONNECTION_MS = 500;

const FIFO_SUFFIX = '.fifo';

export interface SqsReceiptsOptions {
  readonly queueUrl: string;
  /** @default a client that gives up within 3 s */
  readonly client?: Pick<SQSClient, 'send'>;
}

/** An SQS client with an end: the SDK's own waits without one. Make it once per environment, outside the handler. */
const sqsClient = (): SQSClient =>
  new SQSClient({
    maxAttempts: ATTEMPTS,
    // The queue is in the function's own Region; an endpoint that was configured goes before the URL's.
    useQueueUrlAsEndpoint: false,
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true, // Without it the SDK only logs a warning and waits on.
      socketTimeout: REQUEST_MS,
    },
  });

/**
 * Receipt jobs through SQS. A standard queue may deliver a job twice, and a FIFO queue forgets its deduplication id
 * after five minutes: the consumer dedupes by the job's own key in either case.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html
 */
export function sqsReceipts({ queueUrl, client = sqsClient() }: SqsReceiptsOptions): ReceiptQueue {
  const isFifo = queueUrl.endsWith(FIFO_SUFFIX);
  return {
    async send(job) {
      // The receipts of one order leave in their order; those of different orders do not wait for each other.
      const inOrder = isFifo && { MessageGroupId: orderKeyOf(job), MessageDeduplicationId: job.jobKey };
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(job), ...inOrder }));
    },
  };
}
