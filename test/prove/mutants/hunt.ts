import type { DrawnSpace } from '../explore/space.ts';
import type { Failure, Job } from '../job.ts';
import { inThread } from '../threads.ts';
import type { Mutant } from './mutants.ts';

/** What a mutant did at one kind of provider. */
export interface Prey {
  readonly dedupes: boolean;
  /** Schedules until it was found, or that did not find it. */
  readonly schedules: number;
  readonly failure: Failure | undefined;
  /** How it was looked for. */
  readonly how: 'drawn' | 'whole';
}

export interface Hunt {
  readonly mutant: Mutant;
  readonly prey: readonly Prey[];
  readonly isFound: boolean;
  /** Where its patch no longer fits. */
  readonly error: string | undefined;
}

const KINDS = [true, false] as const;

/** Enough for a whole space on a slow machine. */
const SECONDS_MAX = 120;

/** Looks for one mutant with drawn schedules at both kinds of provider, and in its whole space if it has one. */
export async function hunt(mutant: Mutant, seed: number, schedules: number): Promise<Hunt> {
  const { patches, where } = mutant;
  const jobs: Job[] = KINDS.map((dedupes) => drawnJob(seed, dedupes, schedules));
  if (where !== undefined) jobs.push({ kind: 'whole', space: { ...where, dedupes: true }, secondsMax: SECONDS_MAX });
  try {
    const ends = await inThread({ jobs, patches });
    const prey = ends.map((end, at): Prey => {
      const { kind, space } = jobs[at] as Job; // One end for each job.
      return { ...end, dedupes: space.dedupes, how: kind };
    });
    return { mutant, prey, isFound: prey.some(({ failure }) => failure), error: undefined };
  } catch (error) {
    return { mutant, prey: [], isFound: false, error: String(error) };
  }
}

function drawnJob(seed: number, dedupes: boolean, schedules: number): Job {
  const space: DrawnSpace = { kind: 'drawn', seed, requests: 3, reconcilers: 2, webhooks: 2, faultsMax: 3, dedupes };
  return { kind: 'drawn', space, from: 0, to: schedules, secondsMax: SECONDS_MAX };
}

export const replayOf = ({ name }: Mutant, { token }: Failure): string => `--replay ${token} --mutant ${name}`;
