import { createHash } from 'node:crypto';
import type { QueueModel } from '../template/service-model.ts';
import type { Message, NewMessage } from './message.ts';
import { invalidValue, missing } from './queue-error.ts';

/** SQS's own; a job that is sent again later is another message. */
const DEDUPLICATION_MS = 5 * 60 * 1000;

/** The id by which a FIFO queue knows a message again; a standard queue takes none. */
export function deduplicationId(model: QueueModel, { groupId, deduplicationId, body }: NewMessage): string | undefined {
  if (!model.fifo) {
    if (deduplicationId !== undefined) throw invalidValue('MessageDeduplicationId', 'the queue is not a FIFO queue');
    return undefined;
  }
  if (groupId === undefined) throw missing('MessageGroupId');
  if (deduplicationId !== undefined) return deduplicationId;
  if (model.contentBasedDeduplication) return createHash('sha256').update(body).digest('hex');
  throw invalidValue(
    'MessageDeduplicationId',
    'the queue has no ContentBasedDeduplication, so the message must bring its own',
  );
}

/** What a FIFO queue was sent in the last five minutes, also when it is long deleted. */
export class RecentlySent {
  readonly #byId = new Map<string, Message>();

  find(id: string, now: number): Message | undefined {
    for (const [old, { sentAt }] of this.#byId) {
      // In the order of sending: what follows is younger.
      if (sentAt + DEDUPLICATION_MS > now) break;
      this.#byId.delete(old);
    }
    return this.#byId.get(id);
  }

  note(id: string, message: Message): void {
    this.#byId.set(id, message);
  }
}
