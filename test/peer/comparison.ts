import { randomUUID } from 'node:crypto';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { SUBJECTS, type Subject } from './subject.ts';
import { Trial } from './trial.ts';
import { startWorkbench, type Workbench } from './workbench.ts';

/** What became of all trials of one scenario with one subject. */
export interface Cell {
  readonly scenario: string;
  readonly subject: string;
  trials: number;
  /** Trials in which the order was charged more than once. */
  doubles: number;
  /** Trials that ended without a charge. */
  uncharged: number;
  /** Trials whose client was told that an operator must look. */
  underReview: number;
  /** Trials whose client never got a final answer. */
  unanswered: number;
}

export interface ComparisonOptions {
  readonly times: number;
  /** Trials at a time: most of them only wait. */
  readonly concurrency: number;
  readonly scenarios?: readonly Scenario[];
  readonly subjects?: readonly Subject[];
  readonly onTrial?: (done: number, of: number) => void;
}

/** Plays every scenario with every subject, and counts. */
export async function compare(options: ComparisonOptions): Promise<readonly Cell[]> {
  const { times, concurrency, scenarios = SCENARIOS, subjects = SUBJECTS, onTrial = () => {} } = options;
  const cells = scenarios.flatMap((scenario) =>
    subjects.map((subject) => ({ scenario, subject, cell: emptyCell(scenario, subject) })),
  );
  const jobs = Array.from({ length: times }, () => cells).flat();
  const workbench = await startWorkbench();
  let done = 0;
  const left = jobs.values();
  const worker = async (): Promise<void> => {
    for (const { scenario, subject, cell } of left) {
      await play(workbench, scenario, subject, cell);
      done += 1;
      onTrial(done, jobs.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, worker));
  } finally {
    await workbench.stop();
  }
  return cells.map(({ cell }) => cell);
}

async function play(workbench: Workbench, scenario: Scenario, subject: Subject, cell: Cell): Promise<void> {
  const handler = scenario.isEarlyTimeout ? subject.earlyHandler : subject.handler;
  const trial = await Trial.start({ ...subject, handler }, randomUUID(), workbench);
  try {
    const { status, body } = await scenario.play(trial);
    cell.trials += 1;
    if (status === 409 && body.includes('under-review')) cell.underReview += 1;
    else if (status !== 201 && status !== 402) cell.unanswered += 1;
  } finally {
    await trial.stop();
  }
  // Counted when every process of the trial is gone, so that no late charge is missed.
  if (trial.charges.length > 1) cell.doubles += 1;
  if (trial.charges.length === 0) cell.uncharged += 1;
}

const emptyCell = (scenario: Scenario, subject: Subject): Cell => ({
  scenario: scenario.name,
  subject: subject.name,
  trials: 0,
  doubles: 0,
  uncharged: 0,
  underReview: 0,
  unanswered: 0,
});
