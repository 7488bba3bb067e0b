import type { Answer } from './answer.ts';
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
};

/** The provider's memory: intents, ledger and keys. */
export interface Book {
  intent(id: string): Intent | undefined;
  /** Newest first. */
  intents(): Intent[];
  movements(): readonly Movement[];
  keyUse(key: string): KeyUse | undefined;
  keysCount(): number;
  /** Durable when it returns, before any answer leaves. */
  commit(change: Change): void;
  close(): void;
}

export const openBook = (directory: string | undefined): Book => {
  const intents = new Map<string, Intent>();
  const movements: Movement[] = [];
  const keys = new Map<string, KeyUse>();
  const journal = openJournal<Change>(directory);

  const apply = ({ intent, movement, keyUse }: Change): void => {
    if (intent) intents.set(intent.id, intent);
    if (movement) movements.push(movement);
    if (keyUse) keys.set(keyUse.key, keyUse);
  };
  for (const change of journal.entries) apply(change);

  return {
    intent: (id) => intents.get(id),
    intents: () => [...intents.values()].reverse(),
    movements: () => movements,
    keyUse: (key) => keys.get(key),
    keysCount: () => keys.size,
    commit: (change) => {
      journal.append(change);
      apply(change);
    },
    close: () => journal.close(),
  };
};
