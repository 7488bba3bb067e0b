import type { Answer } from './answer.ts';
import type { Delivery, Event } from './event.ts';
import type { Intent, Movement } from './intent.ts';
import { openJournal } from './journal.ts';

/** What an idempotency key stands for from its first use on. */
export type KeyUse = {
  readonly key: string;
  /** Digest of the endpoint and the parameters. */
  readonly request: string;
  readonly answer: Answer;
  readonly requestId: string;
  /** Milliseconds since the epoch, by the simulator's own clock. */
  readonly firstUsedAt: number;
};

/** Everything that one call changes: written in one line, so that a crash leaves all of it or nothing. */
export type Change = {
  readonly intent?: Intent;
  readonly movement?: Movement;
  readonly keyUse?: KeyUse;
  /** When the intent's processing ends, in milliseconds since the epoch. */
  readonly settlesAt?: number;
  readonly events?: readonly Event[];
  readonly delivery?: Delivery;
};

/** The provider's memory: intents, ledger, keys and events. */
export interface Book {
  intent(id: string): Intent | undefined;
  /** Newest first. */
  intents(): Intent[];
  movements(): readonly Movement[];
  keyUse(key: string): KeyUse | undefined;
  keysCount(): number;
  /** By intent: when its processing ends. */
  settlements(): ReadonlyMap<string, number>;
  /** Oldest first. */
  events(): readonly Event[];
  /** Undefined before the first attempt. */
  delivery(eventId: string): Delivery | undefined;
  /** Durable when it returns, before any answer leaves. */
  commit(change: Change): void;
  /** Told of every change, once it is durable. */
  onCommit(listener: (change: Change) => void): void;
  close(): void;
}

export const openBook = (directory: string | undefined): Book => {
  const intents = new Map<string, Intent>();
  const movements: Movement[] = [];
  const keys = new Map<string, KeyUse>();
  const settlements = new Map<string, number>();
  const events: Event[] = [];
  const deliveries = new Map<string, Delivery>();
  const listeners: ((change: Change) => void)[] = [];
  const journal = openJournal<Change>(directory);

  const apply = ({ intent, movement, keyUse, settlesAt, events: more = [], delivery }: Change): void => {
    if (intent) intents.set(intent.id, intent);
    if (movement) movements.push(movement);
    if (keyUse) keys.set(keyUse.key, keyUse);
    if (intent && intent.status !== 'processing') settlements.delete(intent.id);
    if (intent && settlesAt !== undefined) settlements.set(intent.id, settlesAt);
    events.push(...more);
    if (delivery) deliveries.set(delivery.event, delivery);
  };
  for (const change of journal.entries) apply(change);

  return {
    intent: (id) => intents.get(id),
    intents: () => [...intents.values()].reverse(),
    movements: () => movements,
    keyUse: (key) => keys.get(key),
    keysCount: () => keys.size,
    settlements: () => settlements,
    events: () => events,
    delivery: (eventId) => deliveries.get(eventId),
    onCommit: (listener) => void listeners.push(listener),
    commit: (change) => {
      journal.append(change);
      apply(change);
      for (const listener of listeners) listener(change);
    },
    close: () => journal.close(),
  };
};
