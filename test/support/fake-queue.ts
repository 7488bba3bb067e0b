import type { ReceiptJob, ReceiptQueue } from '../../lib/payments/receipts.ts';

export interface FakeQueue extends ReceiptQueue {
  readonly jobs: readonly ReceiptJob[];
  /** `lost`: the job is taken and the reply never comes. */
  trouble: 'none' | 'down' | 'lost';
}

export function fakeQueue(): FakeQueue {
  const jobs: ReceiptJob[] = [];
  const queue: FakeQueue = {
    jobs,
    trouble: 'none',
    async send(job) {
      if (queue.trouble !== 'down') jobs.push(job);
      if (queue.trouble !== 'none') throw new Error('The queue does not answer.');
    },
  };
  return queue;
}
