import type { QueueModel } from '../../../lib/local/template/service-model.ts';

export const arnOf = (name: string): string => `arn:aws:sqs:eu-north-1:000000000000:${name}`;

/** A standard queue as a template without properties has it. */
export const queueModel = (name: string, more: Partial<QueueModel> = {}): QueueModel => ({
  name,
  arn: arnOf(name),
  url: `http://127.0.0.1/000000000000/${name}`,
  fifo: name.endsWith('.fifo'),
  contentBasedDeduplication: false,
  visibilityMs: 30_000,
  delayMs: 0,
  waitMs: 0,
  redrive: undefined,
  ...more,
});

export const redriveTo = (name: string, receiveCountMax: number): Partial<QueueModel> => ({
  redrive: { deadLetterArn: arnOf(name), receiveCountMax },
});
