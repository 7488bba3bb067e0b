import type { Space } from './explore/space.ts';
import type { Failure, Job, JobEnd } from './job.ts';
import { type Hunt, hunt } from './mutants/hunt.ts';
import { MUTANTS } from './mutants/mutants.ts';
import type { DrawnStep, Plan, WholeStep } from './plan.ts';
import type { Progress } from './report/progress.ts';
import { inThread } from './threads.ts';

/** What one space gave. */
export interface Covered {
  readonly space: Space;
  readonly schedules: number;
  readonly states: number;
  /** Whether all of it was covered, or all that was to be drawn. */
  readonly isWhole: boolean;
  readonly cpuSeconds: number;
  readonly failure: Failure | undefined;
}

export interface Proof {
  readonly covered: readonly Covered[];
  readonly hunts: readonly Hunt[];
}

/** The whole plan, step after step; a step's work is shared out among the threads. */
export async function runPlan(plan: Plan, seed: number, workers: number, progress: Progress): Promise<Proof> {
  const covered: Covered[] = [];
  for (const step of plan.whole) covered.push(await cover(step, progress));
  for (const step of plan.drawn) covered.push(await drawAll(step, workers, progress));
  const hunts: Hunt[] = [];
  progress.begin(`${MUTANTS.length} mutants`, MUTANTS.length);
  const left = MUTANTS.values();
  const hunter = async (): Promise<void> => {
    for (const mutant of left) {
      hunts.push(await hunt(mutant, seed, plan.mutantSchedules));
      progress.add(1);
    }
  };
  await Promise.all(Array.from({ length: workers }, hunter));
  progress.end();
  return { covered, hunts: MUTANTS.flatMap((mutant) => hunts.find((one) => one.mutant === mutant) ?? []) };
}

async function cover({ space, secondsMax }: WholeStep, progress: Progress): Promise<Covered> {
  progress.begin(titleOf(space), undefined, secondsMax);
  const ends = await inThread({ jobs: [{ kind: 'whole', space, secondsMax }], patches: [] }, (more) =>
    progress.add(more),
  );
  progress.end();
  return together(space, ends);
}

async function drawAll(
  { space, schedules, secondsMax }: DrawnStep,
  workers: number,
  progress: Progress,
): Promise<Covered> {
  progress.begin(titleOf(space), schedules);
  const share = Math.ceil(schedules / workers);
  const jobs = Array.from({ length: workers }, (_, n): Job => {
    return { kind: 'drawn', space, from: n * share, to: Math.min(schedules, (n + 1) * share), secondsMax };
  });
  const ends = await Promise.all(
    jobs.map((job) => inThread({ jobs: [job], patches: [] }, (more) => progress.add(more))),
  );
  progress.end();
  return together(space, ends.flat());
}

function together(space: Space, ends: readonly JobEnd[]): Covered {
  const sum = (of: (end: JobEnd) => number): number => ends.reduce((total, end) => total + of(end), 0);
  return {
    space,
    schedules: sum(({ schedules }) => schedules),
    states: sum(({ states }) => states),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    isWhole: ends.every(({ isWhole }) => isWhole),
    failure: ends.find(({ failure }) => failure)?.failure,
  };
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** In words. */
export function titleOf(space: Space): string {
  const { requests, reconcilers, faultsMax, dedupes } = space;
  const cast = `${plural(requests, 'request')} x ${plural(reconcilers, 'reconciler')}`;
  const webhooks = space.kind === 'drawn' ? `, webhooks` : `, ${plural(space.leapsMs.length, 'leap')} of the clock`;
  const provider = dedupes ? 'a provider that dedupes' : 'one that does not';
  return `${cast}, up to ${plural(faultsMax, 'fault')}${webhooks}, ${provider}`;
}
