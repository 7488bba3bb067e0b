import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export type Size = 'quick' | 'usual' | 'long';

export interface Options {
  readonly size: Size;
  readonly seed: number;
  readonly isJson: boolean;
  /** Threads. */
  readonly workers: number;
  /** A schedule to run alone. */
  readonly replay: string | undefined;
  /** The mutant to run it with. */
  readonly mutant: string | undefined;
}

export const USAGE = `npm run prove -- [--quick | --long] [--seed N] [--workers N] [--json]
npm run prove -- --replay SCHEDULE [--mutant NAME]

  --quick     about a minute; what CI runs
  --long      under an hour: larger spaces, and ten million drawn schedules on all cores
  --seed N    draws other schedules (default 1)
  --workers N threads (default 1; with --long one for each core)
  --json      the last line is one JSON object
  --replay    runs one schedule, as a failure printed it, and tells what happens in it
  --mutant    breaks the rule of that mutant first
`;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      workers: { type: 'string' },
      json: { type: 'boolean', default: false },
      replay: { type: 'string' },
      mutant: { type: 'string' },
    },
  });
  const size: Size = values.quick ? 'quick' : values.long ? 'long' : 'usual';
  const workers = values.workers ?? String(size === 'long' ? availableParallelism() : 1);
  return {
    size,
    seed: wholeNumber('--seed', values.seed),
    isJson: values.json,
    workers: Math.max(1, wholeNumber('--workers', workers)),
    replay: values.replay,
    mutant: values.mutant,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} takes a whole number, not "${text}".`);
  return Number(text);
}
