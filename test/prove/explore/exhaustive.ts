import { PathChoices } from '../sim/choices.ts';
import type { Violation } from '../sim/invariants.ts';
import type { Scenario } from '../sim/scenario.ts';
import { runSchedule } from '../sim/schedule.ts';
import type { World } from '../sim/world.ts';
import { Fingerprints, hashOf } from './fingerprints.ts';

export interface Exploration {
  readonly schedules: number;
  readonly states: number;
  readonly endings: ReadonlySet<number>;
  readonly deepest: number;
  /** Whether every schedule within the budget is covered. */
  readonly isWhole: boolean;
  readonly failure: { readonly violation: Violation; readonly path: readonly number[] } | undefined;
}

export interface Limits {
  readonly until: () => boolean;
  readonly onSchedule?: (schedules: number) => void;
  /** @default true */
  readonly skipsKnownStates?: boolean;
  /** Shared by explorations whose endings are to be compared. */
  readonly fingerprints?: Fingerprints;
}

/**
 * Depth first through every choice. A state that was met before, with as many faults left or more, is not entered again:
 * the rest of a schedule depends on the state alone. Two actors' moves that do not concern each other meet in one state,
 * so of the orders that make no difference only one is followed.
 */
export async function explore(scenario: Scenario, limits: Limits): Promise<Exploration> {
  const prints = limits.fingerprints ?? new Fingerprints();
  const visited = new Map<number, number>();
  const endings = new Set<number>();
  let path: readonly number[] | undefined = [];
  let schedules = 0;
  let deepest = 0;
  const result = (isWhole: boolean, failure?: Exploration['failure']): Exploration => {
    return { schedules, states: visited.size, endings, deepest, isWhole, failure };
  };

  while (path !== undefined) {
    if (limits.until()) return result(false);
    const choices: PathChoices = new PathChoices(path);
    const goesOn = (world: World): boolean => {
      if (!choices.isFresh || limits.skipsKnownStates === false) return true;
      const state = hashOf(prints.stateOf(world));
      const faultsLeft = visited.get(state);
      if (faultsLeft !== undefined && faultsLeft >= world.faultsLeft) return false;
      visited.set(state, world.faultsLeft);
      return true;
    };
    const isNewEnding = (world: World): boolean => {
      const before = endings.size;
      return endings.add(hashOf(prints.endingOf(world))).size > before;
    };
    const prepare = (world: World): void => {
      world.courier.onSeen = (actor, seen) => prints.note(world, actor, seen);
    };
    const ended = await runSchedule(scenario, choices, { goesOn, isNewEnding, prepare });
    schedules += 1;
    deepest = Math.max(deepest, ended.steps);
    limits.onSchedule?.(schedules);
    if (ended.violation !== undefined) return result(false, { violation: ended.violation, path: ended.taken });
    path = nextPath(choices);
  }
  return result(true);
}

/** The last choice that has another possibility takes it. */
function nextPath({ taken, widths }: PathChoices): readonly number[] | undefined {
  for (let at = taken.length - 1; at >= 0; at--) {
    const next = (taken[at] ?? 0) + 1;
    if (next < (widths[at] ?? 0)) return [...taken.slice(0, at), next];
  }
  return undefined;
}
