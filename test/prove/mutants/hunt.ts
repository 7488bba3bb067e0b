import type { DrawnSpace, Space } from '../explore/space.ts';
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

/** Some rules matter in rare cases only: a whole space has them all. */
const WHOLE: readonly Omit<Extract<Space, { kind: 'whole' }>, 'dedupes'>[] = [
  { kind: 'whole', requests: 2, reconcilers: 0, faultsMax: 2, leapsMs: [25 * 60 * 60 * 1_000] },
  { kind: 'whole', requests: 2, reconcilers: 1, faultsMax: 1, leapsMs: [77_000] },
];

/** Enough for either of the whole spaces on a slow machine. */
const SECONDS_MAX = 120;

/** Looks for one mutant with drawn schedules at both kinds of provider, and where that finds nothing, in whole spaces. */
export async function hunt(
  mutant: Mutant,
  seed: number,
  schedules: number,
  note: (more: number) => void,
): Promise<Hunt> {
  const run = async (jobs: readonly Job[], how: Prey['how']): Promise<readonly Prey[]> => {
    const ends = await inThread({ jobs, patches: mutant.patches }, note);
    return ends.map((end, at) => ({ dedupes: jobs[at]?.space.dedupes === true, how, ...end }));
  };
  try {
    const drawn = await run(
      KINDS.map((dedupes) => drawnJob(seed, dedupes, schedules)),
      'drawn',
    );
    if (drawn.some(({ failure }) => failure)) return { mutant, prey: drawn, isFound: true, error: undefined };
    const all = [...drawn];
    for (const space of WHOLE) {
      const jobs = KINDS.map(
        (dedupes): Job => ({ kind: 'whole', space: { ...space, dedupes }, secondsMax: SECONDS_MAX }),
      );
      all.push(...(await run(jobs, 'whole')));
      if (all.some(({ failure }) => failure)) break;
    }
    return { mutant, prey: all, isFound: all.some(({ failure }) => failure), error: undefined };
  } catch (error) {
    return { mutant, prey: [], isFound: false, error: String(error) };
  }
}

function drawnJob(seed: number, dedupes: boolean, schedules: number): Job {
  const space: DrawnSpace = { kind: 'drawn', seed, requests: 3, reconcilers: 2, webhooks: 2, faultsMax: 3, dedupes };
  return { kind: 'drawn', space, from: 0, to: schedules, secondsMax: SECONDS_MAX };
}

export const replayOf = ({ name }: Mutant, { token }: Failure): string => `--replay ${token} --mutant ${name}`;
