import { createHash } from 'node:crypto';

/** Chance that a seed fixes. */
export interface Dice {
  /** From 0 up to, but without, 1. */
  next(): number;
  /** A whole number; both ends are included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** One item, as likely as its weight says. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T;
}

/** Each seed is a stream of its own, so that one part's throws do not shift another's. */
export function createDice(seed: string): Dice {
  let state = createHash('sha256').update(seed).digest().readUInt32BE(0);
  // Mulberry32: small, fast, and good enough to spread faults.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
    weighted: (items) => {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      throw new Error('There is nothing to choose from.');
    },
  };
}
