import type { IntentionStorage } from './storage.ts';

/** The part of `localStorage` that is used. */
export interface WebArea {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** The part of `navigator.locks` that is used. */
export interface WebLocks {
  request(name: string, work: () => Promise<void>): Promise<unknown>;
}

export interface WebStorageOptions {
  /** @default localStorage, which all tabs of an origin share and which outlives them */
  readonly area?: WebArea;
  /** Makes each step atomic among tabs. @default navigator.locks, or none where a browser or a plain-HTTP page has none */
  readonly locks?: WebLocks;
  /** Comes before each name. @default 'chipta:' */
  readonly prefix?: string;
}

/**
 * Intentions in the browser's `localStorage`.
 *
 * Without Web Locks two tabs that open one name within the same few milliseconds may still end with a key each: what was
 * written is read back at once, which narrows that window and cannot close it.
 *
 * @see https://html.spec.whatwg.org/multipage/webstorage.html#introduction-16 on what tabs may not rely on
 */
export function webStorage({ area, locks, prefix = 'chipta:' }: WebStorageOptions = {}): IntentionStorage {
  // Looked up late: the page may be rendered on a server first, and merely touching a blocked localStorage throws.
  const place = (): WebArea => area ?? globalThis.localStorage;

  /** Nothing waits in between, so that nothing else of this tab comes in between either. */
  const swap = async (name: string, expected: string | null, next: string | null): Promise<boolean> => {
    let isDone = false;
    const work = async (): Promise<void> => {
      if (place().getItem(name) !== expected) return;
      if (next === null) place().removeItem(name);
      else place().setItem(name, next);
      isDone = place().getItem(name) === next;
    };
    const manager = locks ?? globalThis.navigator?.locks;
    await (manager === undefined ? work() : manager.request(name, work));
    return isDone;
  };

  return {
    read: async (name) => place().getItem(prefix + name) ?? undefined,
    create: (name, text) => swap(prefix + name, null, text),
    replace: (name, expected, text) => swap(prefix + name, expected, text),
    remove: (name, expected) => swap(prefix + name, expected, null),
  };
}
