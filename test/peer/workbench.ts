import { setTimeout as sleep } from 'node:timers/promises';
import { Freezer } from '../../bin/kill/freezer.ts';
import { reconcile } from '../../lib/idempotency/reconcile.ts';
import { Cleanup } from '../../lib/local/cleanup.ts';
import { createTables } from '../../lib/local/create-tables.ts';
import { type Engine, startEngine } from '../../lib/local/engine.ts';
import { DUMMY_CREDENTIALS } from '../../lib/local/lambda/variables.ts';
import { systemAmbient } from '../../lib/runtime/ambient.ts';
import { dynamoDbClient } from '../../lib/stores/dynamodb/client.ts';
import { dynamoDbStore } from '../../lib/stores/dynamodb/store.ts';
import { type Bank, startBank } from './bank.ts';
import { bundleHandlers } from './bundle.ts';
import { bankEffect } from './handlers/bank-effect.ts';
import { SUBJECTS, type Subject } from './subject.ts';

export const REGION = 'us-east-1';

/** What all trials share: one engine, a bank for each kind, the bundles, and Chipta's reconciler. */
export interface Workbench {
  readonly engine: Engine;
  readonly bundleDirectory: string;
  readonly freezer: Freezer;
  bankOf(subject: Subject): Bank;
  stop(): Promise<void>;
}

/** Longer than anything takes that a thawed handler still does, also on a busy machine. */
const AFTERLIFE_MS = 5_000;

/** As often as the local run's; the grace is short, because these banks show a charge at once. */
const RECONCILE_EVERY_MS = 500;
const GRACE_MS = 1_000;
const RECONCILE_BUDGET_MS = 20_000;
const RETENTION_MS = 24 * 60 * 60 * 1000;

export async function startWorkbench(): Promise<Workbench> {
  const cleanup = new Cleanup();
  const tables = SUBJECTS.map(({ table }) => table);
  const engine = await startEngine({
    endpoint: undefined,
    dataDirectory: undefined,
    prepare: (url) => createTables(tables, { url, region: REGION, credentials: DUMMY_CREDENTIALS }),
    warn: () => undefined,
  });
  await cleanup.add(() => engine.close());
  try {
    const bundle = await bundleHandlers();
    await cleanup.add(() => bundle.remove());
    const banks = new Map<boolean, Bank>();
    for (const dedupes of [false, true]) {
      const bank = await startBank(dedupes);
      banks.set(dedupes, bank);
      await cleanup.add(() => bank.close());
    }
    const bankOf = ({ bankDedupes }: Subject): Bank => banks.get(bankDedupes) as Bank; // Both were just put there.
    for (const subject of SUBJECTS.filter(({ isChipta }) => isChipta)) {
      const reconciler = startReconciler(engine.url, bankOf(subject), subject);
      await cleanup.add(() => reconciler.stop());
    }
    const freezer = new Freezer(AFTERLIFE_MS);
    await cleanup.add(() => freezer.close());
    return {
      engine,
      bundleDirectory: bundle.directory,
      freezer,
      bankOf,
      stop: () => cleanup.run(),
    };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

/** What the scheduled function does, in this process: it is never the one that is killed here. */
function startReconciler(endpoint: string, bank: Bank, { table, bankDedupes }: Subject) {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = dynamoDbClient({ endpoint, region: REGION, credentials });
  const store = dynamoDbStore({ client, tableName: table.name, ambient: systemAmbient });
  const effect = bankEffect(bank.url, bankDedupes);
  const protocol = { store, ambient: systemAmbient, retentionMs: RETENTION_MS, observe: () => undefined };
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      const budget = { remainingMs: () => RECONCILE_BUDGET_MS };
      await reconcile(protocol, { effect, graceMs: GRACE_MS, budget });
      await sleep(RECONCILE_EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await running;
      client.destroy();
    },
  };
}
