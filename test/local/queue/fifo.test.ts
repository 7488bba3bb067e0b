import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeDeadLetters } from '../../../lib/local/queue/queues.ts';
import { type Sqs, startSqs } from './sqs.ts';

let sqs: Sqs;
beforeEach(async () => {
  sqs = await startSqs();
});

describe('a FIFO queue', () => {
  const group = (MessageGroupId: string, MessageDeduplicationId: string) => ({
    MessageGroupId,
    MessageDeduplicationId,
  });

  it('gives the messages of a group out in order, and none while an earlier one is in flight', async () => {
    await sqs.send('ordered.fifo', 'a1', group('a', '1'));
    await sqs.send('ordered.fifo', 'a2', group('a', '2'));
    await sqs.send('ordered.fifo', 'b1', group('b', '3'));
    const [first] = await sqs.receive('ordered.fifo', { MaxNumberOfMessages: 1 });
    expect(first?.Body).toBe('a1');
    expect(await sqs.bodies('ordered.fifo')).toEqual(['b1']);
    await sqs.remove('ordered.fifo', first?.ReceiptHandle);
    expect(await sqs.bodies('ordered.fifo')).toEqual(['a2']);
  });

  it('gives several messages of one group in one answer', async () => {
    for (const [at, body] of ['1', '2', '3'].entries()) await sqs.send('ordered.fifo', body, group('a', String(at)));
    expect(await sqs.bodies('ordered.fifo')).toEqual(['1', '2', '3']);
  });

  it('keeps the order when the first message comes back', async () => {
    await sqs.send('ordered.fifo', 'a1', group('a', '1'));
    await sqs.send('ordered.fifo', 'a2', group('a', '2'));
    await sqs.receive('ordered.fifo', { MaxNumberOfMessages: 1 });
    sqs.clock.now += 30_000;
    expect(await sqs.bodies('ordered.fifo')).toEqual(['a1', 'a2']);
  });

  it('lets the group go on when poison has gone to the dead letters', async () => {
    await sqs.send('ordered.fifo', 'poison', group('a', '1'));
    await sqs.send('ordered.fifo', 'a2', group('a', '2'));
    for (const _ of [1, 2]) {
      await sqs.receive('ordered.fifo', { MaxNumberOfMessages: 1 });
      sqs.clock.now += 30_000;
    }
    expect(await sqs.bodies('ordered.fifo')).toEqual(['a2']);
    expect(describeDeadLetters(sqs.queues)).toMatchObject([{ queue: 'dead.fifo', body: 'poison', groupId: 'a' }]);
  });

  it('takes a message once in five minutes, even when it is long deleted', async () => {
    const first = await sqs.send('ordered.fifo', 'a', group('a', 'same'));
    const [message] = await sqs.receive('ordered.fifo');
    await sqs.remove('ordered.fifo', message?.ReceiptHandle);
    sqs.clock.now += 299_999;
    const again = await sqs.send('ordered.fifo', 'a', group('a', 'same'));
    expect([again.MessageId, again.SequenceNumber]).toEqual([first.MessageId, first.SequenceNumber]);
    expect(await sqs.receive('ordered.fifo')).toEqual([]);
    sqs.clock.now += 1;
    expect((await sqs.send('ordered.fifo', 'a', group('a', 'same'))).MessageId).not.toBe(first.MessageId);
    expect(await sqs.bodies('ordered.fifo')).toEqual(['a']);
  });

  it('can know messages by their content', async () => {
    for (const body of ['a', 'a', 'b']) await sqs.send('by-content.fifo', body, { MessageGroupId: 'g' });
    expect(await sqs.bodies('by-content.fifo')).toEqual(['a', 'b']);
  });

  it('tells group, sequence and deduplication of a message', async () => {
    const { SequenceNumber } = await sqs.send('ordered.fifo', 'a', group('g', 'd'));
    const [message] = await sqs.receive('ordered.fifo', { MessageSystemAttributeNames: ['All'] });
    expect(message?.Attributes).toMatchObject({
      MessageGroupId: 'g',
      MessageDeduplicationId: 'd',
      SequenceNumber: String(SequenceNumber),
    });
  });

  it.each<[string, Partial<SendMessageCommandInput>, string]>([
    ['without a group', { MessageDeduplicationId: 'd' }, 'MissingParameter'],
    ['without a deduplication id', { MessageGroupId: 'g' }, 'InvalidParameterValue'],
    ['with a delay of its own', { ...group('g', 'd'), DelaySeconds: 5 }, 'InvalidParameterValue'],
  ])('refuses a message %s', async (_, more, name) => {
    await expect(sqs.send('ordered.fifo', 'a', more)).rejects.toMatchObject({ name });
  });
});
