import { randomUUID } from 'node:crypto';
import type { QueueModel } from '../template/service-model.ts';
import { deduplicationId, RecentlySent } from './deduplication.ts';
import type { Message, NewMessage } from './message.ts';
import { invalidValue, QueueError } from './queue-error.ts';

/** The most that one call receives. */
export const RECEIVE_MAX = 10;

/** SQS's limit on a message. */
const BODY_BYTES_MAX = 1024 * 1024;

export interface Receive {
  readonly max: number;
  /** Undefined: the queue's own. */
  readonly visibilityMs?: number | undefined;
  /** How long to wait while nothing is there. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DeadLetterTarget {
  readonly queue: Queue;
  readonly receiveCountMax: number;
}

/** One queue of SQS, in memory: what it holds ends with the process. */
export class Queue {
  readonly model: QueueModel;
  readonly #now: () => number;
  /** In the order in which they are given out. */
  readonly #messages = new Map<string, Message>();
  readonly #recent = new RecentlySent();
  readonly #waiting = new Set<() => void>();
  #sequence = 0;
  #deadLetters: DeadLetterTarget | undefined;

  constructor(model: QueueModel, now: () => number) {
    this.model = model;
    this.#now = now;
  }

  get deadLetters(): DeadLetterTarget | undefined {
    return this.#deadLetters;
  }

  redriveTo(target: DeadLetterTarget): void {
    this.#deadLetters = target;
  }

  /** Whatever it holds, received or not, oldest first. */
  get messages(): Message[] {
    return [...this.#messages.values()];
  }

  get counts(): { visible: number; inFlight: number; delayed: number } {
    const now = this.#now();
    const hidden = this.messages.filter(({ visibleAt }) => visibleAt > now);
    const delayed = hidden.filter(({ receiveCount }) => receiveCount === 0).length;
    return { visible: this.#messages.size - hidden.length, inFlight: hidden.length - delayed, delayed };
  }

  /** Gives the message that is now in the queue, or the earlier one that it repeats. */
  send(message: NewMessage): Message {
    if (message.body === '') throw invalidValue('MessageBody', 'it must not be empty');
    if (Buffer.byteLength(message.body) > BODY_BYTES_MAX) throw invalidValue('MessageBody', 'it is larger than 1 MiB');
    if (this.model.fifo && message.delayMs) throw invalidValue('DelaySeconds', 'a FIFO queue delays all or nothing');
    const deduplication = deduplicationId(this.model, message);
    const now = this.#now();
    const earlier = deduplication === undefined ? undefined : this.#recent.find(deduplication, now);
    if (earlier) return earlier;
    this.#sequence += 1;
    const sent: Message = {
      id: randomUUID(),
      body: message.body,
      attributes: message.attributes,
      sentAt: now,
      sequenceNumber: this.model.fifo ? String(this.#sequence).padStart(20, '0') : undefined,
      groupId: message.groupId,
      deduplicationId: deduplication,
      visibleAt: now + (message.delayMs ?? this.model.delayMs),
      receiveCount: 0,
      firstReceivedAt: undefined,
      receiptHandle: undefined,
    };
    if (deduplication !== undefined) this.#recent.note(deduplication, sent);
    this.#put(sent);
    return sent;
  }

  async receive({ max, visibilityMs, waitMs = 0, signal }: Receive): Promise<Message[]> {
    const end = this.#now() + waitMs;
    for (;;) {
      if (signal?.aborted) return [];
      const received = this.#take(Math.min(max, RECEIVE_MAX), visibilityMs ?? this.model.visibilityMs);
      const leftMs = end - this.#now();
      if (received.length > 0 || leftMs <= 0) return received;
      await this.#change(leftMs, signal);
    }
  }

  /** By an old handle, or of a message that is gone, it does nothing, as in SQS. */
  delete(receiptHandle: string): void {
    const message = this.#byHandle(receiptHandle);
    if (message?.receiptHandle === receiptHandle) this.#messages.delete(message.id);
    this.#notify();
  }

  changeVisibility(receiptHandle: string, visibilityMs: number): void {
    const message = this.#byHandle(receiptHandle);
    const now = this.#now();
    if (message?.receiptHandle !== receiptHandle || message.visibleAt <= now) {
      throw new QueueError('MessageNotInflight', 'The message is not in flight.');
    }
    this.#put({ ...message, visibleAt: now + visibilityMs });
  }

  purge(): void {
    this.#messages.clear();
  }

  #take(max: number, visibilityMs: number): Message[] {
    const now = this.#now();
    const taken: Message[] = [];
    const blockedGroups = new Set<string>();
    for (const message of this.#messages.values()) {
      if (taken.length === max) break;
      const group = this.model.fifo ? message.groupId : undefined;
      if (group !== undefined && blockedGroups.has(group)) continue;
      if (message.visibleAt > now) {
        // In flight, or not due yet: who comes after it in its group waits.
        if (group !== undefined) blockedGroups.add(group);
        continue;
      }
      if (!this.#isBuried(message)) taken.push(this.#hide(message, now + visibilityMs, now));
    }
    return taken;
  }

  /** Moves to the dead letters what was received too often; it keeps its id and its count. */
  #isBuried(message: Message): boolean {
    const target = this.#deadLetters;
    if (!target || message.receiveCount < target.receiveCountMax) return false;
    this.#messages.delete(message.id);
    target.queue.#put({ ...message, receiptHandle: undefined });
    return true;
  }

  #hide(message: Message, visibleAt: number, now: number): Message {
    const receiveCount = message.receiveCount + 1;
    const hidden: Message = {
      ...message,
      visibleAt,
      receiveCount,
      firstReceivedAt: message.firstReceivedAt ?? now,
      receiptHandle: Buffer.from(`${this.model.name} ${message.id} ${randomUUID()}`).toString('base64'),
    };
    this.#messages.set(message.id, hidden);
    return hidden;
  }

  #byHandle(receiptHandle: string): Message | undefined {
    const [queue, id = '', receipt] = Buffer.from(receiptHandle, 'base64').toString().split(' ');
    if (queue === this.model.name && receipt !== undefined) return this.#messages.get(id);
    throw new QueueError('ReceiptHandleIsInvalid', 'The input receipt handle is invalid.');
  }

  #put(message: Message): void {
    this.#messages.set(message.id, message);
    this.#notify();
  }

  #notify(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Until something may have become visible, but no longer than `ms`. */
  #change(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const now = this.#now();
    const nextMs = Math.min(...this.messages.map(({ visibleAt }) => visibleAt - now).filter((left) => left > 0));
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(ms, nextMs));
      signal?.addEventListener('abort', wake);
      this.#waiting.add(wake);
    });
  }
}
