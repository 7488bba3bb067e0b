import type { Message } from './message.ts';
import type { Queue } from './queue.ts';

/** Whom messages come from, in the form that SQS gives. */
const SENDER_ID = 'AIDALOCAL';

/** SQS's defaults, which nothing here depends on. */
const RETENTION_SECONDS = 345_600;
const MESSAGE_BYTES_MAX = 1_048_576;

/** The system attributes of a message that was received. */
export function systemAttributes(message: Message) {
  const { receiveCount, sentAt, firstReceivedAt = sentAt, sequenceNumber, groupId, deduplicationId } = message;
  return {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: String(sentAt),
    SenderId: SENDER_ID,
    ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
    ...(sequenceNumber === undefined ? {} : { SequenceNumber: sequenceNumber }),
    ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
    ...(deduplicationId === undefined ? {} : { MessageDeduplicationId: deduplicationId }),
  };
}

/** Those that were asked for: by name, by `All` or `.*`, or by a prefix such as `trace.*`. */
export function pick<T>(attributes: Readonly<Record<string, T>>, wanted: readonly string[]): Record<string, T> {
  const isWanted = (name: string) =>
    wanted.some(
      (wish) => wish === 'All' || wish === name || (wish.endsWith('.*') && name.startsWith(wish.slice(0, -2))),
    );
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isWanted(name)));
}

export function queueAttributes({ model, counts }: Queue): Record<string, string> {
  const { redrive } = model;
  return {
    QueueArn: model.arn,
    ApproximateNumberOfMessages: String(counts.visible),
    ApproximateNumberOfMessagesNotVisible: String(counts.inFlight),
    ApproximateNumberOfMessagesDelayed: String(counts.delayed),
    VisibilityTimeout: String(model.visibilityMs / 1000),
    DelaySeconds: String(model.delayMs / 1000),
    MaximumMessageSize: String(MESSAGE_BYTES_MAX),
    MessageRetentionPeriod: String(RETENTION_SECONDS),
    ReceiveMessageWaitTimeSeconds: String(model.waitMs / 1000),
    ...(model.fifo ? { FifoQueue: 'true', ContentBasedDeduplication: String(model.contentBasedDeduplication) } : {}),
    ...(redrive === undefined
      ? {}
      : {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: redrive.deadLetterArn,
            maxReceiveCount: redrive.receiveCountMax,
          }),
        }),
  };
}
