import type { IntentionStorage } from './storage.ts';

/** For tests: it forgets with the process, and a key that is forgotten too early is a second payment. */
export function memoryStorage(): IntentionStorage {
  const texts = new Map<string, string>();
  return {
    read: async (name) => texts.get(name),
    create: async (name, text) => {
      if (texts.has(name)) return false;
      texts.set(name, text);
      return true;
    },
    replace: async (name, expected, text) => {
      if (texts.get(name) !== expected) return false;
      texts.set(name, text);
      return true;
    },
    remove: async (name, expected) => texts.get(name) === expected && texts.delete(name),
  };
}
