import type { SQSEvent, SQSMessageAttributes, SQSRecord } from 'aws-lambda';
import { systemAttributes } from './attributes.ts';
import { md5 } from './md5.ts';
import type { Message, MessageAttributes } from './message.ts';

/** The event that Lambda hands to a function for a batch of messages. */
export function sqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  const region = queueArn.split(':')[3] ?? '';
  return { Records: messages.map((message) => recordOf(message, queueArn, region)) };
}

function recordOf(message: Message, eventSourceARN: string, awsRegion: string): SQSRecord {
  return {
    messageId: message.id,
    receiptHandle: String(message.receiptHandle),
    body: message.body,
    attributes: systemAttributes(message),
    messageAttributes: attributesOf(message.attributes),
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion,
  };
}

function attributesOf(attributes: MessageAttributes): SQSMessageAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        ...(StringValue === undefined ? {} : { stringValue: StringValue }),
        ...(BinaryValue === undefined ? {} : { binaryValue: BinaryValue }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType,
      },
    ]),
  );
}
