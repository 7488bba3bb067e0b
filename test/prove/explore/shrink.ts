import type { Violation } from '../sim/invariants.ts';
import { runSchedule } from '../sim/schedule.ts';
import type { Found } from './random.ts';
import { beginningOf, type Schedule } from './space.ts';

/** Enough for a schedule of a few dozen choices to come to rest. */
const TRIES_MAX = 2_000;

/** Takes away whatever the violation does not need: first the end, then fault by fault, then detour by detour. */
export async function shrink({ violation, schedule }: Found): Promise<Found> {
  let path = [...(schedule.path ?? [])];
  let last = violation;
  let tries = 0;
  const attempt = async (shorter: readonly number[]): Promise<boolean> => {
    if (tries++ >= TRIES_MAX) return false;
    const seen = await violationOf({ ...schedule, path: shorter });
    if (seen?.invariant !== violation.invariant) return false;
    [path, last] = [withoutEnd(shorter), seen];
    return true;
  };
  for (let isSmaller = true; isSmaller && tries < TRIES_MAX; ) {
    isSmaller = false;
    for (let length = path.length >> 1; length >= 1; length >>= 1)
      for (let at = path.length - length; at >= 0; at -= length)
        if (await attempt([...path.slice(0, at), ...path.slice(at + length)])) isSmaller = true;
    for (let at = path.length - 1; at >= 0; at--)
      if ((path[at] ?? 0) > 0 && (await attempt(path.with(at, 0)))) isSmaller = true;
  }
  return { violation: last, schedule: { ...schedule, path } };
}

async function violationOf(schedule: Schedule): Promise<Violation | undefined> {
  const { scenario, choices } = beginningOf(schedule);
  return (await runSchedule(scenario, choices)).violation;
}

/** A path that has ended goes on with the first possibility anyway. */
const withoutEnd = (path: readonly number[]): number[] => path.slice(0, path.findLastIndex((choice) => choice > 0) + 1);
