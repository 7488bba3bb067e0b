import { Cleanup } from '../lib/local/cleanup.ts';
import { type LocalRun, startLocalRun } from '../lib/local/local-run.ts';
import { LocalRunError } from '../lib/local/local-run-error.ts';
import { readSettings } from '../lib/local/settings.ts';

/** Serves what `cdk synth` made: `node bin/local.ts [ASSEMBLY]`, by default the one in `cdk.out`. */
const DEFAULT_ASSEMBLY = 'cdk.out';

const cleanup = new Cleanup();
const starting = start();
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!stopping) void stop();
  });
}

try {
  const { url } = await starting;
  if (!stopping) console.log(greeting(url));
} catch (error) {
  if (!stopping) {
    console.error(error instanceof LocalRunError ? error.message : error);
    process.exitCode = 1;
  }
}

async function start(): Promise<LocalRun> {
  const assemblyDirectory = process.argv[2] ?? DEFAULT_ASSEMBLY;
  return startLocalRun({ assemblyDirectory, settings: readSettings(process.env), log: console.error }, cleanup);
}

/** A step that is still starting is waited for, so that it is stopped too. */
async function stop(): Promise<void> {
  stopping = true;
  await cleanup.run();
  await starting.catch(() => undefined);
  process.exit(0);
}

function greeting(url: string): string {
  return `Ready ${url}

A payment to try; send it twice:

curl -i ${url}/payments \\
  -H "Authorization: Bearer $(curl -s '${url}/local/token?sub=alice')" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: my-first-payment' \\
  -d '{"orderId":"order-1","amount":100000,"currency":"UZS","paymentMethod":"pm_card_visa"}'

What was charged: curl -s '${url}/local/ledger'. Ctrl-C stops everything.
`;
}
