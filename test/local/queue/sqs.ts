import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { onTestFinished } from 'vitest';
import { listen } from '../../../lib/local/listen.ts';
import { createQueues } from '../../../lib/local/queue/queues.ts';
import { createSqsServer } from '../../../lib/local/queue/sqs-server.ts';
import { queueModel, redriveTo } from './models.ts';

export const urlOf = (queue: string): string => `http://queues/${queue}`;

/** The official client in front of the local SQS, whose clock is moved by hand unless another is given; ended with the test. */
export async function startSqs(now?: () => number) {
  const clock = { now: 1_700_000_000_000 };
  const queues = createQueues(
    [
      queueModel('jobs', redriveTo('dead', 2)),
      queueModel('dead'),
      queueModel('ordered.fifo', redriveTo('dead.fifo', 2)),
      queueModel('dead.fifo'),
      queueModel('by-content.fifo', { contentBasedDeduplication: true }),
      queueModel('late', { delayMs: 5000 }),
    ],
    now ?? (() => clock.now),
  );
  const server = createSqsServer(() => queues);
  const endpoint = `http://127.0.0.1:${await listen(server, 0)}`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new SQSClient({ endpoint, region: 'eu-north-1', credentials, maxAttempts: 1 });
  onTestFinished(() => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  });
  const receive = async (queue: string, more: Partial<ReceiveMessageCommandInput> = {}) => {
    const command = new ReceiveMessageCommand({ QueueUrl: urlOf(queue), MaxNumberOfMessages: 10, ...more });
    return (await client.send(command)).Messages ?? [];
  };
  return {
    clock,
    client,
    queues,
    receive,
    send: (queue: string, MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
      client.send(new SendMessageCommand({ QueueUrl: urlOf(queue), MessageBody, ...more })),
    bodies: async (queue: string) => (await receive(queue)).map(({ Body }) => Body),
    remove: (queue: string, ReceiptHandle: string | undefined) =>
      client.send(new DeleteMessageCommand({ QueueUrl: urlOf(queue), ReceiptHandle })),
    attributes: async (queue: string) => {
      const command = new GetQueueAttributesCommand({ QueueUrl: urlOf(queue), AttributeNames: ['All'] });
      return (await client.send(command)).Attributes;
    },
  };
}

export type Sqs = Awaited<ReturnType<typeof startSqs>>;
