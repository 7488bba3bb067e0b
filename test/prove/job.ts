import { explore } from './explore/exhaustive.ts';
import { draw, type Found } from './explore/random.ts';
import { shrink } from './explore/shrink.ts';
import { beginningOf, type DrawnSpace, type Schedule, tokenOf, type WholeSpace } from './explore/space.ts';
import type { Violation } from './sim/invariants.ts';
import { runSchedule } from './sim/schedule.ts';

/** One piece of work for one thread; `secondsMax` are seconds of a core. */
export type Job =
  | { readonly kind: 'whole'; readonly space: WholeSpace; readonly secondsMax: number }
  | {
      readonly kind: 'drawn';
      readonly space: DrawnSpace;
      readonly from: number;
      readonly to: number;
      readonly secondsMax: number;
    };

/** A violation, made as short as it gets. */
export interface Failure extends Violation {
  readonly token: string;
  readonly trace: readonly string[];
  readonly requests: readonly string[];
}

export interface JobEnd {
  readonly kind: 'end';
  readonly schedules: number;
  /** Seconds of one core. */
  readonly cpuSeconds: number;
  readonly isWhole: boolean;
  readonly states: number;
  readonly failure: Failure | undefined;
}

const NOTE_EVERY = 64;

export async function runJob(job: Job, note: (schedules: number) => void): Promise<JobEnd> {
  const cpu = process.threadCpuUsage();
  let schedules = 0;
  let isLate = false;
  const onSchedule = (): void => {
    if (++schedules % NOTE_EVERY !== 0) return;
    isLate = secondsSince(cpu) > job.secondsMax;
    note(schedules);
  };
  const limits = { until: () => isLate, onSchedule };
  const outcome = await (job.kind === 'whole' ? runWhole(job.space, limits) : runDrawn(job, limits));
  const cpuSeconds = secondsSince(cpu);
  const failure = outcome.found && (await describe(await shrink(outcome.found)));
  return { kind: 'end', schedules, cpuSeconds, ...outcome, failure };
}

/** What this thread has had of a core. */
function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

type Limits = { readonly until: () => boolean; readonly onSchedule: () => void };
type Outcome = { readonly isWhole: boolean; readonly states: number; readonly found: Found | undefined };

async function runWhole(space: WholeSpace, limits: Limits): Promise<Outcome> {
  const { isWhole, states, failure } = await explore(beginningOf({ space, index: 0, path: [] }).scenario, limits);
  const found = failure && { violation: failure.violation, schedule: { space, index: 0, path: failure.path } };
  return { isWhole, states, found };
}

async function runDrawn({ space, from, to }: Extract<Job, { kind: 'drawn' }>, limits: Limits): Promise<Outcome> {
  const { schedules, found } = await draw(space, { from, to }, limits);
  return { isWhole: schedules === to - from, states: 0, found };
}

/** Runs a schedule once more and tells what happens in it. */
export async function describe({ violation, schedule }: Found): Promise<Failure> {
  const { trace, requests } = await retell(schedule);
  return { ...violation, token: tokenOf(schedule), trace, requests };
}

export async function retell(schedule: Schedule) {
  const { scenario, choices } = beginningOf(schedule);
  const { trace, violation } = await runSchedule(scenario, choices, { isTraced: true });
  const requests = scenario.requests.map(
    ({ subject, key, orderId, amount, paymentMethod }) => `${subject} ${key}: ${orderId}, ${amount}, ${paymentMethod}`,
  );
  return { trace, violation, requests };
}
