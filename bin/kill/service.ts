import { Cleanup } from '../../lib/local/cleanup.ts';
import { startEngine } from '../../lib/local/engine.ts';
import { startLocalRun } from '../../lib/local/local-run.ts';
import { readSettings } from '../../lib/local/settings.ts';
import { type EngineProxy, type Exchange, type Ruling, startEngineProxy } from './engine-proxy.ts';
import { Freezer } from './freezer.ts';
import type { Movement } from './oracle.ts';
import { readTable, type Table } from './table.ts';

/** Short, so that a dead function's lease ends soon and the reconciler is there at once. */
const TIMES = { FUNCTION_TIMEOUT_SECONDS: '4', RECONCILE_EVERY_SECONDS: '1', RECONCILE_GRACE_SECONDS: '2' };

/** The deployed bundles in real processes, with the rig's own hands between them and the engine. */
export interface Service {
  readonly url: string;
  readonly proxy: EngineProxy;
  readonly freezer: Freezer;
  table(): Promise<Table>;
  ledger(): Promise<readonly Movement[]>;
  token(subject: string): Promise<string>;
  control(path: string, body?: object): Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly assemblyDirectory: string;
  readonly judge: (exchange: Exchange) => Ruling;
  readonly log: (line: string) => void;
}

export async function startService({ assemblyDirectory, judge, log }: ServiceOptions): Promise<Service> {
  const cleanup = new Cleanup();
  try {
    const nothing = async () => undefined;
    const engine = await startEngine({ endpoint: undefined, dataDirectory: undefined, prepare: nothing, warn: log });
    await cleanup.add(() => engine.close());
    const proxy = await startEngineProxy(engine.url, judge);
    await cleanup.add(() => proxy.close());
    const settings = readSettings({ PORT: '0', PROVIDER_PORT: '0', DYNAMODB_ENDPOINT: proxy.url, ...TIMES });
    const { url, stop } = await startLocalRun({ assemblyDirectory, settings, log });
    await cleanup.add(stop);
    const freezer = new Freezer();
    // The last to come and the first to go: a frozen process cannot be stopped.
    await cleanup.add(() => freezer.close());
    const get = (path: string) => fetch(`${url}${path}`);
    return {
      url,
      proxy,
      freezer,
      table: () => readTable(engine.url),
      ledger: async () => (await (await get('/local/ledger')).json()) as readonly Movement[],
      token: async (subject) => (await get(`/local/token?sub=${subject}`)).text(),
      control: async (path, body) => {
        await fetch(`${url}${path}`, { method: 'POST', ...(body && { body: JSON.stringify(body) }) });
      },
      stop: () => cleanup.run(),
    };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}
