import type { FunctionModel } from '../template/service-model.ts';
import { ExecutionEnvironment } from './execution-environment.ts';
import { describeOutcome, type Outcome } from './outcome.ts';
import { Slots } from './slots.ts';

/** Concurrent environments of one function: enough to see a race, few enough for a laptop's memory. */
export const ENVIRONMENTS_MAX = 40;

/** Idle environments beyond the first are given back after this long, so that a burst does not hold its memory. */
const IDLE_MS_MAX = 60_000;

/** How an invocation that came from nowhere in particular waits for an environment. */
const WAIT_MS_DEFAULT = 30_000;

export interface FunctionPoolOptions {
  readonly fn: FunctionModel;
  readonly variables: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** One rest between two invocations. */
interface Idle {
  readonly environment: ExecutionEnvironment;
}

/** A function as Lambda runs it: warm environments are used again, a burst starts more of them. */
export class FunctionPool {
  readonly #options: FunctionPoolOptions;
  readonly #slots: Slots;
  readonly #environments = new Set<ExecutionEnvironment>();
  readonly #idle: Idle[] = [];
  #closed = false;

  constructor(options: FunctionPoolOptions) {
    this.#options = options;
    this.#slots = new Slots(Math.min(options.fn.concurrencyMax ?? ENVIRONMENTS_MAX, ENVIRONMENTS_MAX));
  }

  get model(): FunctionModel {
    return this.#options.fn;
  }

  /** Runs the handler on the event; waits for a free environment as long as the caller allows. */
  async invoke(event: unknown, waitMs = WAIT_MS_DEFAULT): Promise<Outcome> {
    if (this.#closed || !(await this.#slots.take(waitMs))) return this.#noted({ kind: 'throttled' });
    let environment: ExecutionEnvironment | undefined;
    try {
      environment = this.#reuse() ?? (await this.#start());
      return this.#noted(await environment.invoke(event));
    } finally {
      if (environment) this.#rest(environment);
      this.#slots.give();
    }
  }

  /** Initialises one environment, so that the next invocation finds it warm. */
  async prewarm(): Promise<void> {
    const environment = await this.#start();
    await environment.ready;
    this.#rest(environment);
  }

  /** Kills every process of the function; what they were doing fails. */
  kill(): number {
    const living = [...this.#environments].filter(({ alive }) => alive);
    for (const environment of living) environment.kill();
    return living.length;
  }

  /** Kills every process and starts no more; resolves when all have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.kill();
    await Promise.all([...this.#environments].map(({ exited }) => exited));
  }

  /** What the handler threw, the runtime has printed with its stack. */
  #noted(outcome: Outcome): Outcome {
    const known = outcome.kind === 'returned' || outcome.kind === 'threw' || this.#closed;
    if (!known) this.#options.log(describeOutcome(outcome));
    return outcome;
  }

  /** The last used first, so that the others grow old. */
  #reuse(): ExecutionEnvironment | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.environment.alive) return idle.environment;
    }
    return undefined;
  }

  async #start(): Promise<ExecutionEnvironment> {
    const environment = await ExecutionEnvironment.start(this.#options);
    this.#environments.add(environment);
    void environment.exited.then(() => this.#forget(environment));
    if (this.#closed) environment.kill();
    return environment;
  }

  #rest(environment: ExecutionEnvironment): void {
    if (!environment.alive) return;
    const idle = { environment };
    this.#idle.push(idle);
    setTimeout(() => this.#retire(idle), IDLE_MS_MAX).unref();
  }

  #retire(idle: Idle): void {
    if (this.#idle.length > 1 && this.#idle.includes(idle)) idle.environment.kill();
  }

  #forget(environment: ExecutionEnvironment): void {
    this.#environments.delete(environment);
    const at = this.#idle.findIndex((idle) => idle.environment === environment);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}
