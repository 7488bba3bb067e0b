import { styleText } from 'node:util';
import type { Case } from './cases.ts';
import { AMOUNT, type Seen } from './service.ts';

type Style = Parameters<typeof styleText>[0];

/** Colours on a terminal only, and none where `NO_COLOR` is set. */
const styled = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

export const say = (text = ''): void => console.log(text);

export function heading(title: string, explanation: string): void {
  say();
  say(`${styled('bold', title)}: ${explanation}`);
}

export function attempt(number: number, seen: Seen): void {
  say(`  ${number}  ${seen.kind === 'lost' ? styled('red', '✕    the answer was lost') : answer(seen)}`);
}

function answer({ status, code, replayed }: Extract<Seen, { kind: 'answered' }>): string {
  const color = status < 300 ? 'green' : 'yellow';
  return `${styled(color, String(status))}  ${meaning(status, code, replayed)}`;
}

function meaning(status: number, code: string | null, replayed: boolean): string {
  if (replayed) return 'paid: the first answer again (Idempotency-Replayed: true)';
  if (status === 201) return 'paid';
  if (status === 500) return 'the function died';
  return `${code}: ask again with the same key`;
}

const TIMES: Readonly<Record<number, string>> = { 0: 'never', 1: 'once', 2: 'twice' };

export function total(charges: number): void {
  const times = TIMES[charges] ?? `${charges} times`;
  const text = `Charged ${times}: ${money(charges * AMOUNT)}`;
  say(`     ${styled(['bold', charges > 1 ? 'red' : 'green'], text)}`);
}

/** So'm has hundredths. */
const money = (minor: number): string => `${new Intl.NumberFormat('en').format(minor / 100)} soʻm`;

const COLUMN = 26;

export function printCounts(cases: readonly Case[]): void {
  say();
  say(styled('bold', `${'In the ledger'.padEnd(COLUMN)} attempts  charges`));
  for (const { title, attempts, charges } of cases) {
    const figures = `${String(attempts).padStart(9)}${String(charges).padStart(9)}`;
    say(`${title.padEnd(COLUMN)}${charges > 1 ? styled('red', figures) : figures}`);
  }
}
