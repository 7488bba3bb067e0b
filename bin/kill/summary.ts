import type { RoundReport } from './round.ts';
import { addTally, newTally, type Tally } from './tally.ts';

/** The whole run in figures. */
export interface Summary {
  readonly seed: string;
  readonly startedAt: number;
  readonly tally: Tally;
  rounds: number;
  intentions: number;
  attempts: number;
  charges: number;
  declined: number;
  notPerformed: number;
  underReview: number;
  anomalies: number;
  violations: number;
  quietMsMax: number;
}

export const newSummary = (seed: string): Summary => ({
  seed,
  startedAt: Date.now(),
  tally: newTally(),
  rounds: 0,
  intentions: 0,
  attempts: 0,
  charges: 0,
  declined: 0,
  notPerformed: 0,
  underReview: 0,
  anomalies: 0,
  violations: 0,
  quietMsMax: 0,
});

export function addSummary(sum: Summary, report: RoundReport): void {
  const { tally, intentions, table, ledger, violations, anomalies, quietMs } = report;
  const ended = (code: string) =>
    intentions.filter(({ finals }) => [...finals.values()].some(({ text }) => text.includes(`"code":"${code}"`)));
  addTally(sum.tally, tally);
  sum.rounds += 1;
  sum.intentions += intentions.length;
  sum.attempts += intentions.reduce((n, { history }) => n + history.filter((line) => line.includes('POST')).length, 0);
  sum.charges += ledger.length;
  sum.declined += ended('payment-declined').length;
  sum.notPerformed += ended('payment-not-performed').length;
  sum.underReview += [...table.claims.values()].filter((claim) => 'quarantine' in claim).length;
  sum.anomalies += anomalies.length;
  sum.violations += violations.length;
  sum.quietMsMax = Math.max(sum.quietMsMax, quietMs);
}

const figuresOf = ({ tally, startedAt, ...counts }: Summary) => {
  const { killsAt, ...harm } = tally;
  return { ...harm, ...counts, seconds: Math.round((Date.now() - startedAt) / 1000), killsAt: pointsOf(killsAt) };
};

const pointsOf = (killsAt: ReadonlyMap<string, number>) =>
  Object.fromEntries([...killsAt].sort(([, a], [, b]) => b - a));

/** One line for machines. */
export const summaryJson = (summary: Summary): string => JSON.stringify(figuresOf(summary));

/** The same for people. */
export function summaryText(summary: Summary): string {
  const { killsAt, ...figures } = figuresOf(summary);
  const width = Math.max(...Object.keys(killsAt).map((point) => point.length));
  return [
    ...Object.entries(killsAt).map(([point, kills]) => `  ${point.padEnd(width)} ${String(kills).padStart(6)}`),
    '',
    ...Object.entries(figures).map(([name, figure]) => `${name}: ${figure}`),
  ].join('\n');
}
