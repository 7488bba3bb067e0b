import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MODEL_FOLDER = join(import.meta.dirname, '../../docs/model');
const MODEL = 'idempotency.pml';

/** The largest configuration takes about half of it. */
const MEMORY_MB_MAX = 6_000;
/** The deepest search ends below 1,000 steps. */
const STEPS_MAX = 100_000;
/** A trace is some hundreds of lines; the report of a search a few kB. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** One question to the model. */
export interface Question {
  /** Bounds, the kind of provider, a mutant: `NAME` or `NAME=value`. */
  readonly defines: readonly string[];
  /**
   * `safety` searches in depth and holds the least memory; `shortest` searches in breadth, so that a counterexample has
   * no needless step; `liveness` looks for claims that stay open for ever.
   */
  readonly search: 'safety' | 'shortest' | 'liveness';
  readonly timeoutMs: number;
}

export type Answer = { readonly states: number; readonly depth: number; readonly seconds: number } & (
  | { readonly kind: 'holds' }
  /** `property` is the comment behind the assertion that failed. */
  | { readonly kind: 'fails'; readonly property: string; readonly trace: string }
);

/** What has to be installed before the model can be checked, or `undefined`. */
export function whatIsMissing(): string | undefined {
  const missing = [
    ['spin', '-V'],
    ['gcc', '--version'],
  ].filter(([command = '', option = '']) => spawnSync(command, [option]).error !== undefined);
  if (missing.length === 0) return undefined;
  const names = missing.map(([command]) => command).join(' ');
  return `not installed: ${names}. On Debian and Ubuntu: apt-get update && apt-get install --yes ${names}`;
}

/**
 * Has Spin search every state of the model. An answer is an answer about all of them, or a counterexample.
 *
 * @throws Error when the search did not end: too little time, memory or depth.
 */
export async function ask(question: Question): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), 'chipta-model-'));
  try {
    for (const file of readdirSync(MODEL_FOLDER).filter((name) => name.endsWith('.pml')))
      cpSync(join(MODEL_FOLDER, file), join(folder, file));
    return await searchIn(folder, question);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const COMPILE: Readonly<Record<Question['search'], readonly string[]>> = {
  safety: ['-O2', '-DSAFETY'],
  // Ends soon where it finds something, so that compiling well takes longer than searching.
  shortest: ['-O1', '-DSAFETY', '-DBFS'],
  liveness: ['-O2'],
};

const SEARCH: Readonly<Record<Question['search'], readonly string[]>> = {
  safety: [`-m${STEPS_MAX}`],
  shortest: [],
  // -a: acceptance cycles of the claim; -f: weak fairness.
  liveness: [`-m${STEPS_MAX}`, '-a', '-f'],
};

async function searchIn(cwd: string, { defines, search, timeoutMs }: Question): Promise<Answer> {
  const options = { cwd, timeout: timeoutMs, maxBuffer: OUTPUT_BYTES_MAX, killSignal: 'SIGKILL' } as const;
  const flags = [...defines, ...(search === 'liveness' ? ['LIVENESS'] : [])].map((define) => `-D${define}`);
  await run('spin', [...flags, '-a', MODEL], options);
  const limits = ['-w', '-DCOLLAPSE', `-DMEMLIM=${MEMORY_MB_MAX}`];
  await run('gcc', [...COMPILE[search], ...limits, '-o', 'pan', 'pan.c'], options);
  const startedAt = performance.now();
  const { stdout } = await run('./pan', SEARCH[search], options);
  const figures = { ...figuresOf(stdout), seconds: (performance.now() - startedAt) / 1000 };
  if (!/errors: [1-9]/.test(stdout)) {
    assertComplete(stdout);
    return { kind: 'holds', ...figures };
  }
  const replay = await run('spin', [...flags, '-p', '-g', '-l', '-t', MODEL], options);
  const property = search === 'liveness' ? 'no claim stays open for ever' : propertyOf(cwd, replay.stdout, stdout);
  return { kind: 'fails', property, trace: replay.stdout, ...figures };
}

function figuresOf(report: string): { readonly states: number; readonly depth: number } {
  const [, states] = /([\d.e+]+) states, stored/.exec(report) ?? [];
  const [, depth] = /(?:errors?|violated|cycle|state).*\(at depth (\d+)\)/.exec(report) ?? [];
  const [, reached] = /depth reached (\d+)/.exec(report) ?? [];
  return { states: Number(states), depth: Number(depth ?? reached) };
}

/** Spin exits with 0 also when it gives up. */
function assertComplete(report: string): void {
  if (!/errors: 0/.test(report) || /not completed|too small|out of memory/i.test(report))
    throw new Error(`The search did not end:\n${report}`);
}

function propertyOf(folder: string, replay: string, report: string): string {
  const [, file = '', line] = /spin: (\S+):(\d+), Error: assertion violated/.exec(replay) ?? [];
  if (line === undefined) return /^pan:\d+: (.*)$/m.exec(report)?.[1] ?? 'unnamed';
  const source = readFileSync(join(folder, file), 'utf8').split('\n')[Number(line) - 1] ?? '';
  return /\/\* (.*?) \*\/\s*$/.exec(source)?.[1] ?? source.trim();
}
