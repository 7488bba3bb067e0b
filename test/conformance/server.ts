import { createServer, type IncomingMessage } from 'node:http';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { exchangeOf, type HttpEvent } from '../../lib/http/exchange.ts';
import type { HttpResult } from '../../lib/http/result.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import { send } from '../../lib/local/gateway/http-reply.ts';
import { listen } from '../../lib/local/listen.ts';
import { readBody } from '../../lib/local/read-body.ts';
import { idempotency } from '../../lib/middy/idempotency.ts';
import { systemAmbient as ambient } from '../../lib/runtime/ambient.ts';
import { FRONT_DOORS, type FrontDoorName, type Received } from './front-doors.ts';
import { createRoutes } from './routes.ts';
import { type FreshStores, memoryStores } from './stores.ts';

/** As large as an HTTP API takes. */
const BODY_BYTES_MAX = 10_000_000;

export interface FixtureOptions {
  readonly port: number;
  readonly retentionMs?: number;
  /** @default 'v2' */
  readonly format?: FrontDoorName;
  /** @default in memory */
  readonly stores?: FreshStores;
}

const requestOf = (event: HttpEvent) => exchangeOf(event, { principal: () => undefined }).request;

/** The fixture has no authorizer: the principal is a header's value. */
const headerPrincipal = (event: HttpEvent) => ({ subject: requestOf(event).header('x-principal')[0] ?? 'anonymous' });

/** What a handler behind a load balancer with multi-value headers has to return. */
const inMultiValues = ({ headers = {}, ...rest }: HttpResult): HttpResult => ({
  ...rest,
  multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
});

/** The middleware over small counted services, behind one kind of front door, spoken to over HTTP. */
export async function startFixture({ port: wanted, format = 'v2', stores = memoryStores, ...rest }: FixtureOptions) {
  const door = FRONT_DOORS[format];
  const routes = createRoutes();
  let current = await stores.next();
  // A reset forgets every key, so the middleware asks for the store of the moment.
  const store: Store = {
    shards: current.shards,
    read: (pk) => current.read(pk),
    write: (write, alongside) => current.write(write, alongside),
    due: (...page) => current.due(...page),
    record: (at) => current.record(at),
    commit: (writes) => current.commit(writes),
  };
  const docsBase = () => `http://127.0.0.1:${port}`;
  const handler = (event: HttpEvent): Promise<HttpResult> =>
    middy<HttpEvent, HttpResult>()
      .use(idempotency({ store, ambient, docsBase: docsBase(), principal: headerPrincipal, ...rest }))
      .handler(async (event) => {
        const result = await routes.handle(requestOf(event));
        return format === 'alb-multi' ? inMultiValues(result) : result;
      })(event, {} as Context);
  const server = createServer(async (request, response) => {
    if (request.method === 'POST' && request.url === '/reset') {
      routes.reset();
      current = await stores.next();
      response.writeHead(204).end();
      return;
    }
    send(response, door.reply(await handler(door.event(await received(request)))));
  });
  const port = await listen(server, wanted);
  return {
    url: docsBase(),
    stop: async () => {
      server.close();
      await stores.stop();
    },
  };
}

async function received(request: IncomingMessage): Promise<Received> {
  const [path = '/', query] = (request.url ?? '/').split('?');
  const body = (await readBody(request, BODY_BYTES_MAX)) ?? Buffer.alloc(0);
  const { method = 'GET', rawHeaders } = request;
  return { method, path, query, rawHeaders, body };
}
