import type { Failure } from '../job.ts';
import { type Hunt, type Prey, replayOf } from '../mutants/hunt.ts';
import { type Covered, type Proof, titleOf } from '../run-plan.ts';
import { INVARIANTS } from '../sim/invariants.ts';

const number = (value: number): string => Math.round(value).toLocaleString('en');

/** What a machine reads. */
export interface Summary {
  readonly schedules: number;
  readonly violations: number;
  readonly mutants: { readonly found: number; readonly total: number };
  /** Schedules a second of one core. */
  readonly rate: number;
  readonly seed: number;
  readonly spaces: readonly {
    readonly title: string;
    readonly schedules: number;
    readonly states: number;
    readonly whole: boolean;
  }[];
}

export function summaryOf({ covered, hunts }: Proof, seed: number): Summary {
  const schedules = covered.reduce((sum, one) => sum + one.schedules, 0);
  const cpuSeconds = covered.reduce((sum, one) => sum + one.cpuSeconds, 0);
  return {
    schedules,
    violations: covered.filter(({ failure }) => failure).length,
    mutants: { found: hunts.filter(({ isFound }) => isFound).length, total: hunts.length },
    rate: Math.round(schedules / cpuSeconds),
    seed,
    spaces: covered.map(({ space, schedules: of, states, isWhole }) => ({
      title: titleOf(space),
      schedules: of,
      states,
      whole: space.kind === 'whole' && isWhole,
    })),
  };
}

/** What people read. */
export function reportOf(proof: Proof, seed: number): string {
  const { covered, hunts } = proof;
  const summary = summaryOf(proof, seed);
  const failures = covered.flatMap(({ failure }) => failure ?? []);
  const lines = [
    '',
    'Every schedule',
    ...covered.filter(({ space }) => space.kind === 'whole').map(wholeLine),
    '',
    `Drawn schedules (seed ${seed})`,
    ...covered.filter(({ space }) => space.kind === 'drawn').map(drawnLine),
    '',
    `Mutants: ${summary.mutants.found} of ${summary.mutants.total} found`,
    ...mutantLines(hunts),
    '',
    `${number(summary.schedules)} schedules of the production code, ${number(summary.rate)} a second of one core, ` +
      `${INVARIANTS.length} invariants, ${summary.violations} violations.`,
    ...failures.flatMap((failure) => ['', ...failureLines(failure)]),
  ];
  return lines.join('\n');
}

function wholeLine({ space, schedules, states, isWhole, cpuSeconds, failure }: Covered): string {
  const figures = `${number(schedules)} schedules, ${number(states)} states, ${number(cpuSeconds)} s`;
  const verdict = failure ? 'VIOLATED' : isWhole ? 'all of them' : 'NOT all of them: the time was over';
  return `  ${titleOf(space)}: ${verdict} (${figures})`;
}

function drawnLine({ space, schedules, isWhole, cpuSeconds, failure }: Covered): string {
  const verdict = failure ? 'VIOLATED' : isWhole ? 'no violation' : 'no violation, and the time was over early';
  return `  ${titleOf(space)}: ${verdict} (${number(schedules)} schedules, ${number(cpuSeconds)} s)`;
}

function mutantLines(hunts: readonly Hunt[]): readonly string[] {
  const width = Math.max(...hunts.map(({ mutant }) => mutant.name.length));
  return hunts.flatMap(({ mutant, prey, error }) => [
    `  ${mutant.name.padEnd(width)}  ${mutant.what}`,
    ...(error === undefined ? prey.map(preyLine) : [error]).map((line) => `  ${''.padEnd(width)}    ${line}`),
  ]);
}

function preyLine({ dedupes, how, schedules, failure }: Prey): string {
  const where = `${dedupes ? 'with' : 'without'} dedupe${how === 'whole' ? ', every schedule' : ''}`;
  if (failure === undefined) return `${where}: masked (${number(schedules)} schedules)`;
  return `${where}: schedule ${number(schedules)}, "${failure.invariant}"`;
}

/** Everything that is needed to understand a violation, and to see it again. */
export function failureLines(failure: Failure, mutant?: Hunt['mutant']): readonly string[] {
  const { invariant, detail, requests, trace, token } = failure;
  return [
    `VIOLATED: ${invariant}`,
    `  ${detail}`,
    ...requests.map((request, n) => `  request ${n + 1} is ${request}`),
    ...trace.map((line, n) => `  ${String(n + 1).padStart(3)} ${line}`),
    `  npm run prove -- ${mutant === undefined ? `--replay ${token}` : replayOf(mutant, failure)}`,
  ];
}
