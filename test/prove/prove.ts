import { readToken } from './explore/space.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { patchModules } from './mutants/patch.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { planOf } from './plan.ts';
import { Progress } from './report/progress.ts';
import { reportOf, summaryOf } from './report/report.ts';
import { runPlan } from './run-plan.ts';

/** The protocol's proof by simulation: `npm run prove`. Exits with 1 on a violation and on a mutant that was not found. */

const say = (text: string): void => void process.stdout.write(`${text}\n`);

try {
  const options = readOptions(process.argv.slice(2));
  process.exitCode = (await (options.replay === undefined ? prove(options) : replay(options.replay, options))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}

async function prove({ size, seed, workers, isJson }: Options): Promise<boolean> {
  const proof = await runPlan(planOf(size, seed), seed, workers, new Progress());
  const summary = summaryOf(proof, seed);
  say(reportOf(proof, seed));
  if (isJson) say(JSON.stringify(summary));
  return summary.violations === 0 && summary.mutants.found === summary.mutants.total;
}

async function replay(token: string, { mutant: name }: Options): Promise<boolean> {
  const schedule = readToken(token);
  const mutant = MUTANTS.find((candidate) => candidate.name === name);
  if (name !== undefined && mutant === undefined) throw new Error(`There is no mutant "${name}".`);
  if (mutant !== undefined) patchModules(mutant.patches);
  const { retell } = await import('./job.ts');
  const { trace, violation, requests } = await retell(schedule);
  for (const [n, request] of requests.entries()) say(`request ${n + 1} is ${request}`);
  for (const [n, line] of trace.entries()) say(`${String(n + 1).padStart(3)} ${line}`);
  say(violation === undefined ? 'No violation.' : `VIOLATED: ${violation.invariant}\n  ${violation.detail}`);
  return violation === undefined;
}
