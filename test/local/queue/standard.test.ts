import { createHash } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeDeadLetters, describeQueues } from '../../../lib/local/queue/queues.ts';
import { type Sqs, startSqs, urlOf } from './sqs.ts';

let sqs: Sqs;
beforeEach(async () => {
  sqs = await startSqs();
});

describe('a standard queue', () => {
  it('gives a message out once, with its checksum, and hides it until its visibility time-out ends', async () => {
    const { MessageId, MD5OfMessageBody } = await sqs.send('jobs', 'ä job');
    expect(MD5OfMessageBody).toBe(createHash('md5').update('ä job').digest('hex'));
    expect(await sqs.receive('jobs')).toMatchObject([{ MessageId, Body: 'ä job', MD5OfBody: MD5OfMessageBody }]);
    sqs.clock.now += 29_999;
    expect(await sqs.receive('jobs')).toEqual([]);
    sqs.clock.now += 1;
    expect(await sqs.bodies('jobs')).toEqual(['ä job']);
  });

  it('forgets what was deleted, and takes a second delete for done', async () => {
    await sqs.send('jobs', 'a');
    const [message] = await sqs.receive('jobs');
    await sqs.remove('jobs', message?.ReceiptHandle);
    await sqs.remove('jobs', message?.ReceiptHandle);
    sqs.clock.now += 60_000;
    expect(await sqs.receive('jobs')).toEqual([]);
  });

  it('keeps what a slow consumer deletes after somebody else has received it', async () => {
    await sqs.send('jobs', 'a');
    const [slow] = await sqs.receive('jobs');
    sqs.clock.now += 30_000;
    await sqs.receive('jobs');
    await sqs.remove('jobs', slow?.ReceiptHandle);
    expect(await sqs.attributes('jobs')).toMatchObject({ ApproximateNumberOfMessagesNotVisible: '1' });
  });

  it('hides for as long as the receiver says, and for longer or shorter when it says so later', async () => {
    await sqs.send('jobs', 'a');
    const [{ ReceiptHandle } = {}] = await sqs.receive('jobs', { VisibilityTimeout: 5 });
    const change = (VisibilityTimeout: number) =>
      sqs.client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: urlOf('jobs'), ReceiptHandle, VisibilityTimeout }),
      );
    await change(60);
    sqs.clock.now += 59_999;
    expect(await sqs.receive('jobs')).toEqual([]);
    await change(0);
    expect(await sqs.bodies('jobs')).toEqual(['a']);
    sqs.clock.now += 60_000;
    await expect(change(5)).rejects.toMatchObject({ name: 'MessageNotInflight' });
  });

  it('delays by message and by queue', async () => {
    await sqs.send('jobs', 'a', { DelaySeconds: 10 });
    await sqs.send('late', 'b');
    await sqs.send('late', 'c', { DelaySeconds: 0 });
    expect(await sqs.bodies('late')).toEqual(['c']);
    expect(await sqs.attributes('jobs')).toMatchObject({ ApproximateNumberOfMessagesDelayed: '1' });
    sqs.clock.now += 5000;
    expect(await sqs.bodies('late')).toEqual(['b']);
    expect(await sqs.bodies('jobs')).toEqual([]);
    sqs.clock.now += 5000;
    expect(await sqs.bodies('jobs')).toEqual(['a']);
  });

  it('tells when and how often a message was received, to those who ask', async () => {
    await sqs.send('jobs', 'a');
    expect((await sqs.receive('jobs'))[0]).not.toHaveProperty('Attributes');
    sqs.clock.now += 30_000;
    const [again] = await sqs.receive('jobs', { MessageSystemAttributeNames: ['All'] });
    expect(again?.Attributes).toMatchObject({
      ApproximateReceiveCount: '2',
      SentTimestamp: '1700000000000',
      ApproximateFirstReceiveTimestamp: '1700000000000',
    });
  });

  it('hands message attributes on, to those who ask for them', async () => {
    const MessageAttributes = {
      trace: { DataType: 'String', StringValue: 't' },
      'trace.depth': { DataType: 'Number', StringValue: '3' },
      raw: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
    };
    await sqs.send('jobs', 'a', { MessageAttributes });
    const [all] = await sqs.receive('jobs', { MessageAttributeNames: ['All'], VisibilityTimeout: 0 });
    expect(all?.MessageAttributes).toEqual(MessageAttributes);
    const [some] = await sqs.receive('jobs', { MessageAttributeNames: ['trace.*'] });
    expect(Object.keys(some?.MessageAttributes ?? {})).toEqual(['trace', 'trace.depth']);
  });

  it('makes a receiver wait for a message, and no longer than it wants to', async () => {
    const waiting = sqs.receive('jobs', { WaitTimeSeconds: 20 });
    await sqs.send('jobs', 'a');
    expect(await waiting).toHaveLength(1);
    sqs = await startSqs(Date.now);
    const startedAt = Date.now();
    expect(await sqs.receive('jobs', { WaitTimeSeconds: 1 })).toEqual([]);
    expect(Date.now() - startedAt).toBeGreaterThan(900);
  });

  it('wakes a receiver when a visibility time-out ends', async () => {
    sqs = await startSqs(Date.now);
    await sqs.send('jobs', 'a');
    await sqs.receive('jobs', { VisibilityTimeout: 1 });
    const startedAt = Date.now();
    expect(await sqs.receive('jobs', { WaitTimeSeconds: 10 })).toHaveLength(1);
    expect(Date.now() - startedAt).toBeLessThan(3000);
  });

  it('gives nothing to a receiver that has gone', async () => {
    const gone = new AbortController();
    const command = new ReceiveMessageCommand({ QueueUrl: urlOf('jobs'), WaitTimeSeconds: 20 });
    const waiting = sqs.client.send(command, { abortSignal: gone.signal });
    setTimeout(() => gone.abort(), 100);
    await expect(waiting).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await sqs.send('jobs', 'a');
    expect(await sqs.bodies('jobs')).toEqual(['a']);
  });

  it('moves a message to its dead letters when it was received too often', async () => {
    const { MessageId } = await sqs.send('jobs', 'poison');
    for (const _ of [1, 2]) {
      expect(await sqs.bodies('jobs')).toEqual(['poison']);
      sqs.clock.now += 30_000;
    }
    expect(await sqs.bodies('jobs')).toEqual([]);
    expect(describeQueues(sqs.queues)).toContainEqual({
      name: 'jobs',
      visible: 0,
      inFlight: 0,
      delayed: 0,
      deadLetters: 1,
    });
    expect(describeDeadLetters(sqs.queues)).toEqual([
      { queue: 'dead', messageId: MessageId, body: 'poison', receiveCount: 2, sentAt: '2023-11-14T22:13:20.000Z' },
    ]);
    expect(await sqs.receive('dead')).toMatchObject([{ MessageId, Body: 'poison' }]);
  });

  it('sends and deletes batches, entry by entry', async () => {
    const QueueUrl = urlOf('jobs');
    const Entries = [
      { Id: '1', MessageBody: 'a' },
      { Id: '2', MessageBody: 'b', DelaySeconds: 901 },
      { Id: '3', MessageBody: 'c' },
    ];
    const sent = await sqs.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(sent.Successful?.map(({ Id }) => Id)).toEqual(['1', '3']);
    expect(sent.Failed).toMatchObject([{ Id: '2', Code: 'InvalidParameterValue', SenderFault: true }]);
    const received = await sqs.receive('jobs');
    const deleted = await sqs.client.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: [
          { Id: '1', ReceiptHandle: received[0]?.ReceiptHandle },
          { Id: '2', ReceiptHandle: 'nonsense' },
        ],
      }),
    );
    expect(deleted.Successful).toMatchObject([{ Id: '1' }]);
    expect(deleted.Failed).toMatchObject([{ Id: '2', Code: 'ReceiptHandleIsInvalid' }]);
    expect(await sqs.attributes('jobs')).toMatchObject({ ApproximateNumberOfMessagesNotVisible: '1' });
  });

  it('is empty after a purge', async () => {
    await sqs.send('jobs', 'a');
    await sqs.client.send(new PurgeQueueCommand({ QueueUrl: urlOf('jobs') }));
    expect(await sqs.receive('jobs')).toEqual([]);
  });
});
