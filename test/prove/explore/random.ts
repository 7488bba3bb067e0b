import type { Violation } from '../sim/invariants.ts';
import { runSchedule } from '../sim/schedule.ts';
import { beginningOf, type DrawnSpace, type Schedule } from './space.ts';

export interface Found {
  readonly violation: Violation;
  readonly schedule: Schedule;
}

/** Runs drawn schedules `from` … `to - 1`, up to the first violation. */
export async function draw(
  space: DrawnSpace,
  range: { readonly from: number; readonly to: number },
  limits: { readonly until?: () => boolean; readonly onSchedule?: () => void } = {},
): Promise<{ readonly schedules: number; readonly found: Found | undefined }> {
  for (let index = range.from; index < range.to; index++) {
    if (limits.until?.() === true) return { schedules: index - range.from, found: undefined };
    const { scenario, choices } = beginningOf({ space, index, path: undefined });
    const { violation, taken } = await runSchedule(scenario, choices);
    limits.onSchedule?.();
    if (violation !== undefined) {
      const schedule: Schedule = { space, index, path: [...taken] };
      return { schedules: index - range.from + 1, found: { violation, schedule } };
    }
  }
  return { schedules: range.to - range.from, found: undefined };
}
