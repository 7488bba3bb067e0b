import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'provider.jsonl';

/** An append-only file of JSON lines: what was written before the last answer is there after a restart. */
export interface Journal<T> {
  /** Everything written so far, oldest first. */
  readonly entries: readonly T[];
  append(entry: T): void;
  close(): void;
}

const inMemory = <T>(): Journal<T> => ({ entries: [], append: () => {}, close: () => {} });

/**
 * Opens the journal in `directory`, or one that keeps nothing without a directory.
 *
 * A process that is killed while it writes leaves a torn last line. Nothing was answered from it, so it is cut off;
 * left in place, it would swallow the next line.
 */
export const openJournal = <T>(directory: string | undefined): Journal<T> => {
  if (directory === undefined) return inMemory();
  mkdirSync(directory, { recursive: true });
  const file = openSync(join(directory, FILE), 'a+');
  const bytes = readFileSync(file);
  const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  if (whole.length < bytes.length) ftruncateSync(file, whole.length);
  const lines = whole.toString('utf8').split('\n').slice(0, -1);
  return {
    entries: lines.map((line) => JSON.parse(line) as T), // Written by append() below and by nobody else.
    append: (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(file),
  };
};
