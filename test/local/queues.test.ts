import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Messages, startMessages, until } from './messages.ts';

let local: Messages;
beforeAll(async () => {
  local = await startMessages();
});
afterAll(() => local.stop());

describe('queues in the local run', () => {
  const send = (job: object) =>
    local.sqs.send(
      new SendMessageCommand({ QueueUrl: local.environment['RECEIPT_QUEUE_URL'], MessageBody: JSON.stringify(job) }),
    );
  const counts = (name: string) =>
    local
      .jobs()
      .filter((job) => job.name === name)
      .map(({ count }) => count);

  it('give back what a function reports as failed, and that alone', async () => {
    await local.sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: local.environment['RECEIPT_QUEUE_URL'],
        Entries: [
          { Id: '1', MessageBody: '{"name":"good"}' },
          { Id: '2', MessageBody: '{"name":"bad","do":"fail-once"}' },
        ],
      }),
    );
    await until(() => counts('bad').length === 2);
    await sleep(1200);
    expect(counts('good')).toEqual([1]);
    expect(counts('bad')).toEqual([1, 2]);
  });

  it.each(['fail', 'throw', 'exit', 'sleep'])('give poison to the dead letters: a job that lets it %s', async (how) => {
    await send({ name: how, do: how });
    const mine = async () =>
      ((await local.read('dead-letters')) as { body: string }[]).filter(({ body }) => JSON.parse(body).name === how);
    await until(async () => (await mine()).length === 1, 15_000);
    expect(await mine()).toMatchObject([{ queue: 'Messages-Dead', receiveCount: 2 }]);
    expect(counts(how)).toEqual([1, 2]);
  });

  it('keep the order of a group, also when its first message fails', async () => {
    const QueueUrl = local.environment['ORDERED_QUEUE_URL'];
    for (const [at, job] of [{ name: 'f1', do: 'throw' }, { name: 'f2' }].entries()) {
      const order = { MessageGroupId: 'g', MessageDeduplicationId: String(at) };
      await local.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(job), ...order }));
    }
    await until(() => counts('f1').length >= 2);
    expect(counts('f2')).toEqual([]);
  });

  it('tell how much waits in them', async () => {
    const described: { name: string; deadLetters?: number }[] = await local.read('queues');
    expect(described.map(({ name }) => name)).toEqual(['Messages-Jobs', 'Messages-Dead', 'Messages-Ordered.fifo']);
    expect(described[0]).toMatchObject({ visible: 0, inFlight: 0, deadLetters: 4 });
    expect(described[1]).toMatchObject({ visible: 4 });
    expect(described[1]).not.toHaveProperty('deadLetters');
  });
});
