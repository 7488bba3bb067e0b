import { startLocalRun } from '../lib/local/local-run.ts';
import { readSettings } from '../lib/local/settings.ts';
import { ensureAssembly } from './demo/assembly.ts';
import { type Case, crash, tellCrash, withKey, withoutKey } from './demo/cases.ts';
import { connect } from './demo/service.ts';
import { printCounts, say } from './demo/text.ts';

/** What idempotency keys are for, in under 20 seconds: `node bin/demo.ts [ASSEMBLY]`, by default a fresh `cdk.out`. */

/** Short, so that a dead function's lease ends soon; the reconciler runs when the story is there, not by the clock. */
const SETTINGS = {
  PORT: '0',
  PROVIDER_PORT: '0',
  FUNCTION_TIMEOUT_SECONDS: '4',
  RECONCILE_GRACE_SECONDS: '1',
  RECONCILE_EVERY_SECONDS: '3600',
};

const assemblyDirectory = process.argv[2] ?? ensureAssembly();
if (process.stderr.isTTY) console.error('Starting the service on this machine…\n');
const run = await startLocalRun({ assemblyDirectory, settings: readSettings(SETTINGS), log: () => {} });
try {
  const service = await connect(run.url);
  say('An order of 100,000 soʻm, and everything that can go wrong with it.');

  const cases: Case[] = [await withoutKey(service)];
  // The crash comes early: while its lease runs out, the next case is told.
  const crashed = await crash(service);
  cases.push(await withKey(service));
  cases.push(...(await tellCrash(service, crashed)));
  printCounts(cases);
} finally {
  await run.stop();
}
