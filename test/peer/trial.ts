import { setTimeout as sleep } from 'node:timers/promises';
import { type Ambush, Ambushes } from '../../bin/kill/ambush.ts';
import { type EngineProxy, type Exchange, startEngineProxy } from '../../bin/kill/engine-proxy.ts';
import { FunctionPool } from '../../lib/local/lambda/function-pool.ts';
import { DUMMY_CREDENTIALS, functionVariables } from '../../lib/local/lambda/variables.ts';
import { apiEvent } from '../support/events.ts';
import type { Charge } from './bank.ts';
import { type Subject, TIMEOUT_MS } from './subject.ts';
import { REGION, type Workbench } from './workbench.ts';

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export interface Sending {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client asks again after a moment, and for longer than any lease lasts. */
const PAUSE_MS = 400;
const INSIST_MS_MAX = 60_000;

const CHARGED_MS_MAX = 10_000;
const POLL_MS = 20;

/** Longer than any trial waits for a request to come by. */
const AMBUSH_MS = 20_000;

/** One order, one key, and processes of their own; nothing that happens here disturbs another trial. */
export class Trial {
  readonly subject: Subject;
  readonly orderId: string;
  readonly #workbench: Workbench;
  readonly #proxy: EngineProxy;
  readonly #ambushes: Ambushes;
  readonly #pool: FunctionPool;
  readonly #deeds: Promise<unknown>[] = [];

  private constructor(subject: Subject, orderId: string, workbench: Workbench, proxy: EngineProxy, ambushes: Ambushes) {
    this.subject = subject;
    this.orderId = orderId;
    this.#workbench = workbench;
    this.#proxy = proxy;
    this.#ambushes = ambushes;
    this.#pool = this.#newPool();
  }

  static async start(subject: Subject, orderId: string, workbench: Workbench): Promise<Trial> {
    const ambushes = new Ambushes();
    const proxy = await startEngineProxy(workbench.engine.url, (exchange) => ambushes.judge(exchange));
    const trial = new Trial(subject, orderId, workbench, proxy, ambushes);
    // Two of them, so that a second request does not wait for a start.
    await Promise.all([trial.#pool.prewarm(), trial.#pool.prewarm()]);
    return trial;
  }

  get charges(): readonly Charge[] {
    return this.#workbench.bankOf(this.subject).chargesOf(this.orderId);
  }

  /** The next charge is made at once, and answered when the function that this gives is called. */
  holdBank(): () => void {
    return this.#workbench.bankOf(this.subject).holdAnswer(this.orderId);
  }

  /** Resolves when the bank has charged the order. */
  async charged(): Promise<void> {
    const end = Date.now() + CHARGED_MS_MAX;
    while (this.charges.length === 0 && Date.now() < end) await sleep(POLL_MS);
  }

  async send({ body, headers = {} }: Sending = {}): Promise<Reply> {
    const event = apiEvent({
      key: `key-${this.orderId}`,
      headers,
      body: JSON.stringify(body ?? { orderId: this.orderId, amount: 100 }),
    });
    const outcome = await this.#pool.invoke(event);
    // Whatever a function does not return is the gateway's own 5xx to a client.
    if (outcome.kind !== 'returned') return { status: 502, body: '' };
    const { statusCode, body: text } = JSON.parse(outcome.payload) as { statusCode: number; body: string };
    return { status: statusCode, body: text };
  }

  /** Sends until the answer is final: no 5xx, and no 409 that says to ask again. */
  async insist(): Promise<Reply> {
    const end = Date.now() + INSIST_MS_MAX;
    for (;;) {
      const reply = await this.send();
      const isTemporary = reply.status >= 500 || (reply.status === 409 && reply.body.includes('same-key'));
      if (!isTemporary || Date.now() > end) return reply;
      await sleep(PAUSE_MS);
    }
  }

  /** SIGKILL, as when Lambda ends an environment. */
  kill(): void {
    this.#pool.kill();
  }

  /** The replies to the next requests of a kind are lost, the requests carried out. */
  loseReplies(matches: (exchange: Exchange) => boolean, times: number): void {
    for (let n = 0; n < times; n++) this.#lay({ matches, spring: () => ({ isReplyLost: true }) });
  }

  /** The process that sends the next request of a kind is frozen before it gets its reply. */
  freezeAt(matches: (exchange: Exchange) => boolean, ms: number): void {
    this.#lay({
      matches,
      spring: ({ from }) => ({
        carriedOut: () => from && this.#deeds.push(this.#workbench.freezer.freeze(from.pid, ms)),
      }),
    });
  }

  async stop(): Promise<void> {
    this.#ambushes.clear();
    await Promise.all(this.#deeds);
    await this.#pool.close();
    await this.#proxy.close();
  }

  #lay(ambush: Ambush): void {
    void this.#ambushes.lay(ambush, AMBUSH_MS);
  }

  #newPool(): FunctionPool {
    const { bundleDirectory } = this.#workbench;
    const fn = {
      id: 'create-payment',
      name: `createpayment-${this.orderId}`,
      assetDirectory: bundleDirectory,
      handler: this.subject.handler,
      timeoutMs: TIMEOUT_MS,
      memoryMb: 512,
      concurrencyMax: undefined,
      environment: {
        TABLE_NAME: this.subject.table.name,
        BANK_URL: this.#workbench.bankOf(this.subject).url,
        BANK_DEDUPES: this.subject.bankDedupes ? 'yes' : 'no',
      },
    };
    const nowhere = 'http://127.0.0.1:1';
    const variables = functionVariables(fn, {
      region: REGION,
      dynamodbUrl: this.#proxy.url,
      secretsUrl: nowhere,
      queuesUrl: nowhere,
      providerUrl: nowhere,
      credentials: DUMMY_CREDENTIALS,
      retentionSeconds: undefined,
      graceSeconds: undefined,
    });
    return new FunctionPool({ fn, variables, log: () => undefined });
  }
}
