import type { Cell } from './comparison.ts';

/** Double charges out of trials, as a Markdown table; what else happened stands beside it. */
export function tableOf(cells: readonly Cell[]): string {
  const subjects = [...new Set(cells.map(({ subject }) => subject))];
  const scenarios = Map.groupBy(cells, ({ scenario }) => scenario);
  const row = (columns: readonly string[]) => `| ${columns.join(' | ')} |\n`;
  const cellOf = (of: readonly Cell[], subject: string) => {
    const cell = of.find((candidate) => candidate.subject === subject);
    return cell === undefined ? '' : textOf(cell);
  };
  return [
    row(['scenario', ...subjects]),
    row(['---', ...subjects.map(() => '---')]),
    ...[...scenarios].map(([scenario, of]) => row([scenario, ...subjects.map((subject) => cellOf(of, subject))])),
  ].join('');
}

function textOf({ trials, doubles, underReview, uncharged, unanswered }: Cell): string {
  const beside = [
    underReview > 0 && `${underReview} under review`,
    uncharged > 0 && `${uncharged} not charged`,
    unanswered > 0 && `${unanswered} unanswered`,
  ].filter(Boolean);
  const count = doubles > 0 ? `**${doubles} of ${trials}**` : `0 of ${trials}`;
  return [count, ...beside].join(', ');
}
