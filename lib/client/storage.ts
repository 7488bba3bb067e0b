import { IntentionError } from './errors.ts';

/**
 * Keeps one text for each name, longer than the page or process lives. A promise that resolves means that the write is
 * there to stay; anything else must reject.
 *
 * `create`, `replace` and `remove` compare and write in one step. Where they are atomic among everybody who shares the
 * storage, two tabs that open one name end with one key. False means "read again": it may also be said of a write that
 * was made and at once overtaken.
 */
export interface IntentionStorage {
  read(name: string): Promise<string | undefined>;
  /** Writes where nothing is kept; resolves to false where something is. */
  create(name: string, text: string): Promise<boolean>;
  /** Writes where exactly `expected` is kept; resolves to false where it is not. */
  replace(name: string, expected: string, text: string): Promise<boolean>;
  /** Removes exactly `expected`; resolves to false where something else, or nothing, is kept. */
  remove(name: string, expected: string): Promise<boolean>;
}

/** The same storage, whose faults have a code. */
export function guarded(storage: IntentionStorage): IntentionStorage {
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      throw new IntentionError('storage-failed', `The storage of intentions failed: ${cause}`, { cause });
    }
  };
  return {
    read: (name) => guard(() => storage.read(name)),
    create: (name, text) => guard(() => storage.create(name, text)),
    replace: (name, expected, text) => guard(() => storage.replace(name, expected, text)),
    remove: (name, expected) => guard(() => storage.remove(name, expected)),
  };
}
