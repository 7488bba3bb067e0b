import type { QueueModel } from '../template/service-model.ts';
import { Queue } from './queue.ts';
import { QueueError } from './queue-error.ts';

/** All queues of the template. */
export interface Queues {
  readonly all: readonly Queue[];
  byName(name: string): Queue;
  byArn(arn: string): Queue | undefined;
}

/** Makes them, empty, and ties them to their dead-letter queues. */
export function createQueues(models: readonly QueueModel[], now: () => number = Date.now): Queues {
  const all = models.map((model) => new Queue(model, now));
  const byArn = (arn: string) => all.find(({ model }) => model.arn === arn);
  for (const queue of all) {
    const { redrive } = queue.model;
    const target = redrive && byArn(redrive.deadLetterArn);
    if (target) queue.redriveTo({ queue: target, receiveCountMax: redrive.receiveCountMax });
  }
  return {
    all,
    byArn,
    byName: (name) => {
      const queue = all.find(({ model }) => model.name === name);
      if (queue) return queue;
      throw new QueueError('QueueDoesNotExist', 'The specified queue does not exist.');
    },
  };
}

/** For people: how much waits, how much is being worked on, how much is given up. */
export function describeQueues({ all }: Queues): object[] {
  return all.map(({ model, counts, deadLetters }) => ({
    name: model.name,
    ...counts,
    ...(deadLetters ? { deadLetters: deadLetters.queue.messages.length } : {}),
  }));
}

/** The messages in every queue that another one gives its poison to. */
export function describeDeadLetters({ all }: Queues): object[] {
  const targets = new Set(all.flatMap(({ deadLetters }) => (deadLetters ? [deadLetters.queue] : [])));
  return [...targets].flatMap(({ model, messages }) =>
    messages.map(({ id, body, receiveCount, sentAt, groupId }) => ({
      queue: model.name,
      messageId: id,
      body,
      receiveCount,
      sentAt: new Date(sentAt).toISOString(),
      ...(groupId === undefined ? {} : { groupId }),
    })),
  );
}
