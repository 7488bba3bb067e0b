import type { Ambushes } from './ambush.ts';
import type { Dice } from './dice.ts';
import type { EngineProxy } from './engine-proxy.ts';
import type { Freezer } from './freezer.ts';
import type { Tally } from './tally.ts';

/** What chaos has its hands on. */
export interface Stage {
  readonly proxy: EngineProxy;
  readonly ambushes: Ambushes;
  readonly freezer: Freezer;
  readonly tally: Tally;
  /** When a process last talked to the engine, in milliseconds, and about which claim. */
  readonly lastSeen: ReadonlyMap<number, { readonly at: number; readonly pk: string | undefined }>;
  /** When a process was first noticed, in milliseconds. */
  readonly noticed: Map<number, number>;
  /** Posts to the local run's controls. */
  control(path: string, body?: object): Promise<void>;
  /** Into the history of whatever intention the claim belongs to. */
  note(pk: string | undefined, what: string): void;
}

/** One piece of harm, from its beginning to its end. */
export type Act = (stage: Stage, dice: Dice) => Promise<void>;

/** How long an ambush waits for its request. */
export const WAIT_MS = 2_500;

/** The lease of a function of 4 s is 9 s. */
export const LONG_MS_MIN = 9_500;
export const LONG_MS_MAX = 13_000;

/** Long enough to be noticed by every time-out of a write. */
export const MOMENT_MS = 1_000;
