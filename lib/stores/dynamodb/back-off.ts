import type { Ambient } from '../../idempotency/time.ts';

/** A transaction holds its items for some 10 ms: six tries outlast a burst of them. */
export const TRIES_MAX = 6;
/** About the length of one transaction. */
const FIRST_PAUSE_MS_MAX = 25;

/** Waits before the next try with full jitter, at most 25, 50, 100, 200 and 400 ms: 775 ms over all six tries. */
export const pause = (ambient: Pick<Ambient, 'random' | 'sleep'>, triesMade: number): Promise<void> =>
  ambient.sleep(Math.floor(ambient.random() * FIRST_PAUSE_MS_MAX * 2 ** (triesMade - 1)));
