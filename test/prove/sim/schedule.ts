import type { Choices } from './choices.ts';
import { Functions } from './functions.ts';
import type { Violation } from './invariants.ts';
import { settleInPeace } from './peace.ts';
import { Ports } from './ports.ts';
import type { Scenario } from './scenario.ts';
import { takeTimers } from './timers.ts';
import { World } from './world.ts';

export interface ScheduleOptions {
  readonly isTraced?: boolean;
  /** Asked before each move; false ends the schedule there, unchecked. */
  readonly goesOn?: (world: World) => boolean;
  /** Asked before the clean-up; false leaves it out. */
  readonly isNewEnding?: (world: World) => boolean;
  readonly prepare?: (world: World) => void;
}

export interface Ended {
  readonly violation: Violation | undefined;
  readonly steps: number;
  readonly trace: readonly string[];
  readonly taken: readonly number[];
}

const ports = new Ports();
takeTimers(ports);
const functions = new Functions(ports);

/**
 * Runs one schedule over the production code, from the first move to the clean-up and its checks.
 * One at a time: the ports serve the schedule that is running.
 */
export async function runSchedule(scenario: Scenario, choices: Choices, options: ScheduleOptions = {}): Promise<Ended> {
  const world = new World(scenario, choices, functions.start);
  if (options.isTraced === true) world.trace = [];
  options.prepare?.(world);
  ports.serve(world);
  try {
    const isWhole = await makeMoves(world, options.goesOn);
    const isChecked = isWhole && world.broken === undefined && options.isNewEnding?.(world) !== false;
    if (isChecked) await settleInPeace(world, functions);
  } finally {
    ports.serve(undefined);
  }
  return { violation: world.broken, steps: world.steps, trace: world.trace ?? [], taken: choices.taken };
}

/** One move after the other; between two of them everything that the first one set off has come to rest. */
function makeMoves(world: World, goesOn: ScheduleOptions['goesOn']): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const next = (): void => {
      try {
        if (goesOn?.(world) === false) resolve(false);
        else if (world.step()) queueMicrotask(afterRest);
        else resolve(true);
      } catch (error) {
        reject(error);
      }
    };
    // Node runs what was put off to the next tick only when no promise is left to go on.
    const afterRest = (): void => process.nextTick(next);
    next();
  });
}
