import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createHandler as createPayment } from '../../../functions/create-payment/app.ts';
import { createHandler as createWebhook } from '../../../functions/payment-webhook/app.ts';
import { createHandler as createReconcile } from '../../../functions/reconcile/app.ts';
import type { Actor, Answered } from './actor.ts';
import { apiEvent, signedEvent, WEBHOOK_SECRET } from './events.ts';
import type { Ports } from './ports.ts';
import { GRACE_MS, RETENTION_MS } from './scenario.ts';
import type { World } from './world.ts';

const DOCS = 'https://docs.example.com';

/** Lambda's time for each function. */
const REQUEST_MS = 10_000;
const WEBHOOK_MS = 20_000;
const RECONCILE_MS = 120_000;

type Handler = (event: unknown, context: Context) => Promise<unknown>;
const ignore = (): void => {};

/** The deployed functions, over simulated ports. */
export class Functions {
  readonly #pay: Handler;
  readonly #reconcile: Handler;
  readonly #webhook: Handler;

  constructor({ store, ambient, provider, receipts }: Ports) {
    const shared = { store, ambient, provider, docsBase: DOCS, retentionMs: RETENTION_MS, observe: ignore };
    this.#pay = createPayment({ ...shared, onUnexpected: ignore }) as Handler;
    this.#reconcile = createReconcile({ ...shared, receipts, graceMs: GRACE_MS, onReport: ignore });
    const webhookSecret = async () => WEBHOOK_SECRET;
    this.#webhook = createWebhook({ ...shared, receipts, webhookSecret, onUnexpected: ignore }) as Handler;
  }

  /** Runs an actor's function up to its first call to a port. */
  readonly start = (world: World, actor: Actor): void => {
    const end = (): void => {
      actor.state = 'ended';
      actor.timer = undefined;
    };
    if (actor.role === 'reconciler') void this.reconcile(world, actor).then(end, end);
    else if (actor.role === 'webhook') void this.#deliver(world, actor).then(end, end);
    else
      void this.pay(world, actor).then((answer) => {
        end();
        if (answer !== undefined) world.invariants.answered(actor, answer);
      });
  };

  /** A request as the client sees it; `undefined` when the function broke down, which the gateway answers for. */
  async pay(world: World, actor: Actor): Promise<Answered | undefined> {
    if (actor.spec === undefined) return undefined;
    const context = contextOf(world, actor, REQUEST_MS);
    const result = await this.#pay(apiEvent(actor.spec), context).catch(ignore);
    actor.answer = result === undefined ? undefined : answeredBy(result as APIGatewayProxyStructuredResultV2);
    return actor.answer;
  }

  reconcile(world: World, actor: Actor): Promise<unknown> {
    return this.#reconcile({}, contextOf(world, actor, RECONCILE_MS));
  }

  #deliver(world: World, actor: Actor): Promise<unknown> {
    const { events } = world.provider;
    const event = events[world.choices.pick(events.length)];
    if (event === undefined) return Promise.resolve();
    const signed: APIGatewayProxyEventV2 = signedEvent(event, world.clockOf(actor));
    return this.#webhook(signed, contextOf(world, actor, WEBHOOK_MS));
  }
}

function contextOf(world: World, actor: Actor, ms: number): Context {
  actor.deadline = world.clockOf(actor) + ms;
  const getRemainingTimeInMillis = () => actor.deadline - world.clockOf(actor);
  return { getRemainingTimeInMillis } as Context; // Nobody reads anything else of it.
}

function answeredBy({ statusCode = 0, body = '' }: APIGatewayProxyStructuredResultV2): Answered {
  const isProblem = statusCode >= 400;
  const [code, retry] = isProblem ? [memberOf(body, 'code'), memberOf(body, 'retry')] : [];
  return { status: statusCode, body, code, retry };
}

/** A text of a JSON object that holds no quotation mark. */
function memberOf(body: string, name: string): string | undefined {
  const at = body.indexOf(`"${name}":"`);
  const from = at + name.length + 4;
  return at < 0 ? undefined : body.slice(from, body.indexOf('"', from));
}
