import type { SQSRecord } from 'aws-lambda';

let messages = 0;

/** A message with a job in its body, as SQS hands it to a function; only the members that anybody reads. */
export function messageOf(body: object | string, group?: string): SQSRecord {
  messages += 1;
  const record = {
    messageId: `message-${messages}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { ...(group !== undefined && { MessageGroupId: group }) },
    eventSourceARN: `arn:aws:sqs:eu-central-1:123456789012:receipts${group === undefined ? '' : '.fifo'}`,
  };
  return record as SQSRecord;
}
