import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LOCAL_ACCOUNT_ID } from '../template/local-values.ts';
import type { FunctionModel } from '../template/service-model.ts';
import type { Outcome } from './outcome.ts';
import { type Invocation, openRuntimeApi, type RuntimeApi } from './runtime-api.ts';

const BOOTSTRAP = fileURLToPath(new URL('bootstrap.mjs', import.meta.url));

/** Lambda gives 10 s, to a processor of the function's own; here twenty cold starts may share two. */
const INIT_TIMEOUT_MS = 30_000;

/** What V8 leaves to the rest of the process, as Lambda's runtime does. */
const HEAP_SHARE = 0.9;

export interface EnvironmentOptions {
  readonly fn: FunctionModel;
  readonly variables: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

interface Running {
  readonly requestId: string;
  readonly finish: (outcome: Outcome) => void;
  /** What the runtime reported; the invocation lasts until it asks for the next one. */
  reported?: Outcome;
}

/** One process that handles one invocation at a time, over its own Runtime API. */
export class ExecutionEnvironment {
  readonly #options: EnvironmentOptions;
  readonly #exited = Promise.withResolvers<void>();
  #api: RuntimeApi | undefined;
  #child: ChildProcess | undefined;
  #deliver: ((invocation: Invocation) => void) | undefined;
  #running: Running | undefined;
  #initError: string | undefined;
  #cause: Outcome | undefined;
  readonly #ready = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #alive = true;

  private constructor(options: EnvironmentOptions) {
    this.#options = options;
  }

  /** Starts the process; it initialises on its own and takes its first invocation when it is ready. */
  static async start(options: EnvironmentOptions): Promise<ExecutionEnvironment> {
    const environment = new ExecutionEnvironment(options);
    await environment.#open();
    return environment;
  }

  /** False from the moment that the process ended or was told to. */
  get alive(): boolean {
    return this.#alive;
  }

  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  /** Resolves when the process has initialised, or failed to. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves when the environment is free again, or gone. */
  async invoke(event: unknown): Promise<Outcome> {
    await this.ready;
    const { fn } = this.#options;
    const deliver = this.#deliver;
    if (!deliver) return this.#cause ?? { kind: 'exited', reason: 'ended' };
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const requestId = randomUUID();
    this.#deliver = undefined;
    this.#running = { requestId, finish: resolve };
    this.#timer = setTimeout(() => this.kill({ kind: 'timed-out', afterMs: fn.timeoutMs }), fn.timeoutMs);
    deliver({
      requestId,
      deadlineMs: Date.now() + fn.timeoutMs,
      functionArn: `arn:aws:lambda:${this.#options.variables['AWS_REGION']}:${LOCAL_ACCOUNT_ID}:function:${fn.name}`,
      payload: JSON.stringify(event),
    });
    return promise;
  }

  /** SIGKILL: the handler gets no chance to clean up, as when Lambda ends an environment. */
  kill(reason: Outcome = { kind: 'exited', reason: 'killed' }): void {
    this.#alive = false;
    this.#cause ??= reason;
    this.#child?.kill('SIGKILL');
  }

  async #open(): Promise<void> {
    this.#api = await openRuntimeApi({
      next: (deliver) => this.#next(deliver),
      responded: (id, payload) => this.#report(id, { kind: 'returned', payload }),
      failed: (id, payload) => this.#report(id, { kind: 'threw', payload }),
      tooLarge: (id) => this.#report(id, { kind: 'response-too-large' }),
      initFailed: (error) => {
        this.#initError = error;
      },
    });
    this.#spawn(this.#api.address);
    this.#timer = setTimeout(
      () => this.kill({ kind: 'init-failed', reason: `took over ${INIT_TIMEOUT_MS / 1000} s` }),
      INIT_TIMEOUT_MS,
    );
  }

  #spawn(runtimeApi: string): void {
    const { fn, variables, log } = this.#options;
    const heapMb = Math.floor(fn.memoryMb * HEAP_SHARE);
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, BOOTSTRAP], {
      cwd: fn.assetDirectory,
      env: { ...variables, AWS_LAMBDA_RUNTIME_API: runtimeApi },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream as Readable }).on('line', log);
    }
    child.once('error', (error) => this.#end(error.message));
    child.once('exit', (code, signal) => this.#end(signal ?? `exit status ${code}`));
  }

  #next(deliver: (invocation: Invocation) => void): void {
    clearTimeout(this.#timer);
    this.#deliver = deliver;
    this.#ready.resolve();
    this.#finish({ kind: 'exited', reason: 'the runtime asked for more without an answer' });
  }

  #report(requestId: string, outcome: Outcome): void {
    if (this.#running?.requestId === requestId) this.#running.reported ??= outcome;
  }

  #finish(unreported: Outcome): void {
    const running = this.#running;
    this.#running = undefined;
    running?.finish(running.reported ?? unreported);
  }

  #end(reason: string): void {
    clearTimeout(this.#timer);
    this.#alive = false;
    this.#deliver = undefined;
    this.#cause ??=
      this.#initError === undefined ? { kind: 'exited', reason } : { kind: 'init-failed', reason: this.#initError };
    this.#api?.close();
    this.#finish(this.#cause);
    this.#ready.resolve();
    this.#exited.resolve();
  }
}
