import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import { expect, onTestFinished } from 'vitest';
import type { Outcome } from '../../../lib/local/lambda/outcome.ts';
import { type Pollers, startPollers } from '../../../lib/local/queue/pollers.ts';
import type { Queue } from '../../../lib/local/queue/queue.ts';
import { createQueues } from '../../../lib/local/queue/queues.ts';
import type { EventSourceModel } from '../../../lib/local/template/service-model.ts';
import { arnOf, queueModel, redriveTo } from './models.ts';

export const VISIBILITY_MS = 300;

export const returned = (result: unknown): Outcome => ({ kind: 'returned', payload: JSON.stringify(result) });
export const failed = (...ids: string[]) =>
  returned({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });

/** One queue whose messages invoke a function that is played. */
export interface Scene {
  readonly queue: Queue;
  readonly events: SQSEvent[];
  readonly pollers: Pollers;
  /** Bodies by invocation. */
  batches(): string[][];
}

export function start(
  name: string,
  react: (event: SQSEvent) => Outcome | Promise<Outcome>,
  more: Partial<EventSourceModel> = {},
): Scene {
  const queues = createQueues([
    queueModel(name, { visibilityMs: VISIBILITY_MS, ...redriveTo(`dead-${name}`, 3) }),
    queueModel(`dead-${name}`),
  ]);
  const events: SQSEvent[] = [];
  const source: EventSourceModel = {
    queueArn: arnOf(name),
    functionId: 'consume',
    batchSize: 10,
    windowMs: 0,
    reportsFailures: true,
    concurrencyMax: undefined,
    ...more,
  };
  const pollers = startPollers({
    eventSources: [source],
    queues,
    invoke: async (_, event) => {
      events.push(event);
      return react(event);
    },
  });
  const batches = () => events.map(({ Records }) => Records.map(({ body }) => body));
  onTestFinished(() => pollers.stop());
  return { queue: queues.byName(name), events, pollers, batches };
}

export const message = (body: string, more = {}) => ({
  body,
  attributes: {},
  delayMs: undefined,
  groupId: undefined,
  deduplicationId: undefined,
  ...more,
});

export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300 && !condition(); tries += 1) await sleep(10);
  expect(condition()).toBe(true);
}
