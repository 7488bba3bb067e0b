import { createHash } from 'node:crypto';
import { type Answer, keyInUse, keyReused } from './answer.ts';
import type { Book, KeyUse } from './book.ts';

/** Stripe may forget a key once it is a day old; the simulator always does, so that nobody relies on more. */
const KEY_RETENTION_MS = 24 * 60 * 60 * 1000;

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
};

/** Digest of what a key is bound to: the endpoint and the parameters, whatever their order. */
export const digest = (endpoint: string, params: object): string =>
  createHash('sha256')
    .update(JSON.stringify([endpoint, sorted(params)]))
    .digest('base64url');

export type Recalled =
  /** First use, or forgotten since: go on. */
  | { readonly kind: 'fresh' }
  | { readonly kind: 'conflict'; readonly answer: Answer }
  | { readonly kind: 'replay'; readonly use: KeyUse };

/** Stripe's rules for a key that comes a second time. */
export interface Keys {
  recall(key: string, request: string, now: number): Recalled;
  /** The key's first call is not answered yet: who comes now is told to wait. */
  hold(key: string): void;
  letGo(key: string): void;
}

export const createKeys = (book: Book): Keys => {
  const held = new Set<string>();
  return {
    recall: (key, request, now) => {
      const use = book.keyUse(key);
      if (use === undefined || use.firstUsedAt + KEY_RETENTION_MS <= now) return { kind: 'fresh' };
      if (held.has(key)) return { kind: 'conflict', answer: keyInUse };
      if (use.request !== request) return { kind: 'conflict', answer: keyReused };
      return { kind: 'replay', use };
    },
    hold: (key) => void held.add(key),
    letGo: (key) => void held.delete(key),
  };
};
