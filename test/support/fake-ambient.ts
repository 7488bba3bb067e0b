import { type Ambient, type EpochMs, epochMs } from '../../lib/idempotency/time.ts';

/** Any moment will do; this one ends in whole seconds. */
const START = Date.UTC(2026, 0, 1);

export interface FakeAmbient extends Ambient {
  /** Moves the clock, also backwards. */
  advance(ms: number): void;
  /** The pauses that were asked for; each one moves the clock instead of waiting. */
  readonly sleeps: readonly number[];
}

/** A clock that moves only when it is told to, ids that count, and dice that always show `random`. */
export function fakeAmbient({ random = 0 }: { readonly random?: number } = {}): FakeAmbient {
  let now = START;
  let ids = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: (): EpochMs => epochMs(now),
    id: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
    },
    random: () => random,
    sleep: async (ms) => {
      sleeps.push(ms);
      now += ms;
    },
    advance: (ms) => {
      now += ms;
    },
  };
}

/** The time of an invocation that began now and ends in `ms`. */
export function budgetOf(ambient: Ambient, ms: number): { remainingMs(): number } {
  const end = ambient.now() + ms;
  return { remainingMs: () => end - ambient.now() };
}
