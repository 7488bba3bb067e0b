import type { IncomingMessage } from 'node:http';
import type { Engine } from './engine.ts';
import { type HttpReply, jsonReply } from './gateway/http-reply.ts';
import type { Issuer } from './issuer.ts';
import type { FunctionPool } from './lambda/function-pool.ts';
import type { Outcome } from './lambda/outcome.ts';
import { describeOutcome } from './lambda/outcome.ts';
import { describeDeadLetters, describeQueues, type Queues } from './queue/queues.ts';
import { readBody } from './read-body.ts';
import type { Provider } from './simulated-provider.ts';

const BODY_BYTES_MAX = 64 * 1024;

export interface ControlOptions {
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly issuer: Issuer;
  readonly engine: Engine;
  readonly provider: Provider;
  readonly queues: Queues;
  /** Runs the reconciler at once; undefined where the template schedules none. */
  readonly reconcile: (() => Promise<Outcome>) | undefined;
}

export type Control = (request: IncomingMessage) => Promise<HttpReply>;

type Action = (query: URLSearchParams, request: IncomingMessage) => Promise<HttpReply> | HttpReply;

/** What exists in the local run only, under `/local/`: to get a token, to watch money move, and to break things. */
export function createControl(options: ControlOptions): Control {
  const actions: Readonly<Record<string, Action>> = {
    'GET /local/token': (query) => token(query, options.issuer),
    'GET /local/jwks.json': () => jsonReply(200, options.issuer.jwks),
    'POST /local/kill': (query) => kill(query.get('function') ?? '', options.functions),
    'POST /local/reconcile': () => reconcile(options.reconcile),
    'POST /local/engine': (query) => switchOver('engine', query.get('do'), options.engine),
    'POST /local/provider': (query) => switchOver('provider', query.get('do'), options.provider),
    'GET /local/ledger': (_, request) => forward(request, options.provider.controlUrl),
    'GET /local/events': (_, request) => forward(request, options.provider.controlUrl),
    'POST /local/faults': (_, request) => forward(request, options.provider.controlUrl),
    'GET /local/queues': () => jsonReply(200, describeQueues(options.queues)),
    'GET /local/dead-letters': () => jsonReply(200, describeDeadLetters(options.queues)),
  };
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local');
    const action = actions[`${request.method} ${pathname}`];
    if (!action) return jsonReply(404, { message: `The controls are ${Object.keys(actions).join(', ')}` });
    return action(searchParams, request);
  };
}

async function token(query: URLSearchParams, issuer: Issuer): Promise<HttpReply> {
  const sub = query.get('sub');
  if (!sub) return jsonReply(400, { message: 'Name the subject: /local/token?sub=alice' });
  const body = await issuer.token({ sub, tenant: query.get('tenant') ?? undefined });
  return { status: 200, headers: [['content-type', 'text/plain']], body };
}

function kill(name: string, functions: ReadonlyMap<string, FunctionPool>): HttpReply {
  const pool = functions.get(name);
  if (!pool) return jsonReply(404, { message: `No function "${name}"; there are ${[...functions.keys()].join(', ')}` });
  return jsonReply(200, { killed: pool.kill() });
}

async function reconcile(run: ControlOptions['reconcile']): Promise<HttpReply> {
  if (!run) return jsonReply(404, { message: 'The template schedules no reconciler' });
  const outcome = await run();
  if (outcome.kind !== 'returned') return jsonReply(502, { message: describeOutcome(outcome) });
  return { status: 200, headers: [['content-type', 'application/json']], body: outcome.payload };
}

/** Makes an outage, or ends it. */
async function switchOver(what: string, wish: string | null, part: Engine | Provider): Promise<HttpReply> {
  if (wish !== 'stop' && wish !== 'start') {
    return jsonReply(400, { message: `Say /local/${what}?do=stop or ?do=start` });
  }
  try {
    await part[wish]();
    return jsonReply(200, { [what]: wish === 'stop' ? 'stopped' : 'running' });
  } catch (error) {
    return jsonReply(409, { message: error instanceof Error ? error.message : String(error) });
  }
}

async function forward(request: IncomingMessage, providerUrl: string): Promise<HttpReply> {
  const sent = await readBody(request, BODY_BYTES_MAX);
  if (sent === undefined) return jsonReply(413, { message: 'That is too large' });
  try {
    const answer = await fetch(`${providerUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(sent.length > 0 ? { body: new Uint8Array(sent) } : {}),
    });
    return {
      status: answer.status,
      headers: [['content-type', answer.headers.get('content-type') ?? 'application/json']],
      body: Buffer.from(await answer.arrayBuffer()),
    };
  } catch (error) {
    return jsonReply(502, { message: `The provider does not answer: ${error}` });
  }
}
