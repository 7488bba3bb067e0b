import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { listen } from './listen.ts';
import { LocalRunError } from './local-run-error.ts';
import { Relay } from './relay.ts';

/** The embedded engine answers within 0.1 s; a busy machine may need longer. */
const START_MS_MAX = 10_000;
const POLL_MS = 20;

/** Its last words are enough to tell what went wrong. */
const OUTPUT_CHARACTERS_MAX = 2000;

export interface Engine {
  readonly url: string;
  /** Takes the engine out of reach, as an outage would; what it holds is kept. */
  stop(): Promise<void>;
  /** Brings it back on the same port; an engine that has failed is started anew. */
  start(): Promise<void>;
  /** Ends what is ours; an engine that ran before us runs on. */
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly endpoint: string | undefined;
  readonly dataDirectory: string | undefined;
  /** Runs whenever an engine has started, before anybody else reaches it. */
  readonly prepare: (url: string) => Promise<void>;
  readonly warn: (line: string) => void;
}

/** The embedded engine where the platform has it; one that runs already where `DYNAMODB_ENDPOINT` names it. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { endpoint, prepare } = options;
  if (endpoint !== undefined) {
    await prepare(endpoint);
    return externalEngine(endpoint);
  }
  const binary = embeddedBinary();
  if (binary === undefined) {
    throw new LocalRunError(
      'engine-missing',
      `There is no @dynoxide package for ${process.platform}-${process.arch}. Start another engine, for example ` +
        'DynamoDB Local, and name it in DYNAMODB_ENDPOINT (http://127.0.0.1:8000).',
    );
  }
  const engine = new EmbeddedEngine(binary, options);
  try {
    await engine.start();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

class EmbeddedEngine implements Engine {
  readonly #binary: string;
  readonly #options: EngineOptions;
  readonly #relay = new Relay(() => this.#port);
  #port = 0;
  #process: GuardedProcess | undefined;

  constructor(binary: string, options: EngineOptions) {
    this.#binary = binary;
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#relay.port}`;
  }

  async start(): Promise<void> {
    if (!this.#process) await this.#launch();
    await this.#relay.open();
  }

  stop(): Promise<void> {
    return this.#relay.close();
  }

  async close(): Promise<void> {
    await this.#relay.close();
    const running = this.#process;
    this.#process = undefined;
    await running?.stop();
  }

  async #launch(): Promise<void> {
    this.#port = await freePort();
    const place = ['serve', '--host', '127.0.0.1', '--port', String(this.#port)];
    const started = startGuarded(this.#binary, [...place, ...databaseArguments(this.#options.dataDirectory)]);
    this.#process = started;
    let output = '';
    started.child.stdout?.resume();
    started.child.stderr?.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-OUTPUT_CHARACTERS_MAX);
    });
    const failed = started.ended.then(() => this.#ended(started, output));
    const url = `http://127.0.0.1:${this.#port}`;
    if (!(await Promise.race([answers(url), failed.then(() => false)]))) {
      await started.stop();
      throw new LocalRunError('engine-failed', `The DynamoDB engine did not start. ${output.trim()}`.trim());
    }
    await this.#options.prepare(url);
  }

  /** One that we did not stop has failed: calls are cut off until it is started again. */
  #ended(which: GuardedProcess, output: string): void {
    if (this.#process !== which) return;
    this.#process = undefined;
    void this.#relay.close();
    this.#options.warn(`The DynamoDB engine has ended; its tables are out of reach. ${output.trim()}`.trim());
  }
}

function externalEngine(url: string): Engine {
  const refuse = () =>
    Promise.reject(
      new LocalRunError('engine-missing', 'The engine in DYNAMODB_ENDPOINT is not ours to stop or start.'),
    );
  return { url, stop: refuse, start: refuse, close: async () => undefined };
}

function embeddedBinary(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    const manifest = require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`);
    const binary = join(dirname(manifest), 'dynoxide');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

function databaseArguments(dataDirectory: string | undefined): string[] {
  if (dataDirectory === undefined) return [];
  mkdirSync(dataDirectory, { recursive: true });
  return ['--db-path', join(dataDirectory, 'dynamodb.sqlite')];
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Any answer will do: it listens. */
async function answers(url: string): Promise<boolean> {
  const end = Date.now() + START_MS_MAX;
  while (Date.now() < end) {
    const up = await fetch(url).then(
      () => true,
      () => false,
    );
    if (up) return true;
    await sleep(POLL_MS);
  }
  return false;
}
