import {
  GetQueueUrlCommand,
  ListQueuesCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from 'vitest';
import { arnOf } from './models.ts';
import { type Sqs, startSqs, urlOf } from './sqs.ts';

let sqs: Sqs;
beforeEach(async () => {
  sqs = await startSqs();
});

describe('the queues', () => {
  it('are found by name and listed', async () => {
    const { QueueUrl } = await sqs.client.send(new GetQueueUrlCommand({ QueueName: 'jobs' }));
    expect(QueueUrl).toBe('http://127.0.0.1/000000000000/jobs');
    expect((await sqs.client.send(new ListQueuesCommand({}))).QueueUrls).toHaveLength(6);
  });

  it('tell what the template says of them', async () => {
    expect(await sqs.attributes('jobs')).toMatchObject({
      QueueArn: arnOf('jobs'),
      VisibilityTimeout: '30',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf('dead'), maxReceiveCount: 2 }),
    });
    expect(await sqs.attributes('by-content.fifo')).toMatchObject({
      FifoQueue: 'true',
      ContentBasedDeduplication: 'true',
    });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['an unknown queue', () => sqs.send('nobody', 'a'), 'QueueDoesNotExist'],
    ['an empty message', () => sqs.send('jobs', ''), 'MissingParameter'],
    ['a message over 1 MiB', () => sqs.send('jobs', 'x'.repeat(1024 * 1024 + 1)), 'InvalidParameterValue'],
    [
      'a group in a standard queue',
      () => sqs.send('jobs', 'a', { MessageDeduplicationId: 'd' }),
      'InvalidParameterValue',
    ],
    ['eleven messages at once', () => sqs.receive('jobs', { MaxNumberOfMessages: 11 }), 'InvalidParameterValue'],
    ['a foreign receipt handle', () => sqs.remove('jobs', 'nonsense'), 'ReceiptHandleIsInvalid'],
    [
      'an attribute without a type',
      () => sqs.send('jobs', 'a', { MessageAttributes: { x: { DataType: 'Text', StringValue: '' } } }),
      'InvalidParameterValue',
    ],
    [
      'an attribute without its value',
      () => sqs.send('jobs', 'a', { MessageAttributes: { x: { DataType: 'Binary', StringValue: '' } } }),
      'InvalidParameterValue',
    ],
    [
      'an empty batch',
      () => sqs.client.send(new SendMessageBatchCommand({ QueueUrl: urlOf('jobs'), Entries: [] })),
      'EmptyBatchRequest',
    ],
    [
      'a batch of eleven',
      () => {
        const Entries = Array.from({ length: 11 }, (_, at) => ({ Id: String(at), MessageBody: 'a' }));
        return sqs.client.send(new SendMessageBatchCommand({ QueueUrl: urlOf('jobs'), Entries }));
      },
      'TooManyEntriesInBatchRequest',
    ],
    [
      'a batch with one id twice',
      () => {
        const Entries = [1, 2].map(() => ({ Id: 'same', MessageBody: 'a' }));
        return sqs.client.send(new SendMessageBatchCommand({ QueueUrl: urlOf('jobs'), Entries }));
      },
      'BatchEntryIdsNotDistinct',
    ],
    [
      'what is not served',
      () => sqs.client.send(new SetQueueAttributesCommand({ QueueUrl: urlOf('jobs'), Attributes: {} })),
      'UnsupportedOperation',
    ],
  ])('refuse %s', async (_, call, name) => {
    await expect(call()).rejects.toMatchObject({ name });
  });
});
