import { parseArgs } from 'node:util';
import { ensureAssembly } from './demo/assembly.ts';
import { startProgress } from './kill/progress.ts';
import { describeViolations } from './kill/report.ts';
import { runRound } from './kill/round.ts';
import { addSummary, newSummary, summaryJson, summaryText } from './kill/summary.ts';

/**
 * Kills the service's processes while customers pay, and then looks whether anybody was charged twice:
 * `node bin/kill.ts [--kills N] [--seed TEXT] [--json] [ASSEMBLY]`, by default 200 kills of a fresh `cdk.out`.
 */

/** A fresh service for each round, so that neither memory nor look-ups grow with the length of the run. */
const KILLS_PER_ROUND = 250;

const { values, positionals } = parseArgs({
  options: { kills: { type: 'string' }, seed: { type: 'string' }, json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const kills = Number(values.kills ?? 200);
if (!Number.isInteger(kills) || kills < 1) {
  console.error(`--kills must be a whole number from 1, not "${values.kills}".`);
  process.exit(1);
}
const seed = values.seed ?? String(Date.now());
const assemblyDirectory = positionals[0] ?? ensureAssembly();

// An orderly exit wakes what is frozen; everything else ends with this process.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));

const summary = newSummary(seed);
const progress = startProgress(kills, () => summary);
const rounds = Math.ceil(kills / KILLS_PER_ROUND);
for (let round = 0; round < rounds; round++) {
  const report = await runRound({
    seed: `${seed}/${round}`,
    kills: Math.ceil((kills - summary.tally.kills) / (rounds - round)),
    assemblyDirectory,
    onProgress: progress.update,
  });
  addSummary(summary, report);
  progress.update(undefined);
  if (report.violations.length > 0) console.log(`${describeViolations(report)}\n`);
  for (const line of report.anomalies) console.log(`An anomaly: ${line}`);
}
progress.stop();
console.log(values.json ? summaryJson(summary) : summaryText(summary));
const isShort = summary.tally.kills < kills;
if (isShort) console.error('The machine is too busy: the rounds ended before their kills were done.');
process.exitCode = isShort || summary.violations + summary.anomalies > 0 ? 1 : 0;
