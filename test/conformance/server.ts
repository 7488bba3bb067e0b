import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { PrincipalReader } from '../../lib/http/api-gateway-v2.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import { buildEvent } from '../../lib/local/gateway/event.ts';
import { functionReply } from '../../lib/local/gateway/function-reply.ts';
import { send } from '../../lib/local/gateway/http-reply.ts';
import { listen } from '../../lib/local/listen.ts';
import { readBody } from '../../lib/local/read-body.ts';
import { idempotency } from '../../lib/middy/idempotency.ts';
import { systemAmbient as ambient } from '../../lib/runtime/ambient.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { createRoutes } from './routes.ts';

/** As large as an HTTP API takes. */
const BODY_BYTES_MAX = 10_000_000;

/** The fixture has no authorizer: the principal is a header's value. */
const headerPrincipal: PrincipalReader = ({ headers }) => ({ subject: headers['x-principal'] ?? 'anonymous' });

/** The middleware over small counted services, spoken to over HTTP. */
export async function startFixture(options: { readonly port: number; readonly retentionMs?: number }) {
  const routes = createRoutes();
  let current = memoryStore({ now: ambient.now });
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
  const handler = (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> =>
    middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
      .use(idempotency({ store, ambient, docsBase: docsBase(), principal: headerPrincipal, ...options }))
      .handler(routes.handle)(event, {} as Context);
  const server = createServer(async (request, response) => {
    if (request.method === 'POST' && request.url === '/reset') {
      routes.reset();
      current = memoryStore({ now: ambient.now });
      response.writeHead(204).end();
      return;
    }
    const result = await handler(await eventOf(request));
    send(response, functionReply({ kind: 'returned', payload: JSON.stringify(result) }));
  });
  const port = await listen(server, options.port);
  return { url: docsBase(), stop: () => server.close() };
}

async function eventOf(request: IncomingMessage): Promise<APIGatewayProxyEventV2> {
  const [path = '/', query] = (request.url ?? '/').split('?');
  const body = (await readBody(request, BODY_BYTES_MAX)) ?? Buffer.alloc(0);
  const { method = 'GET', rawHeaders } = request;
  const received = { method, path, query, rawHeaders, body, sourceIp: '127.0.0.1', protocol: 'HTTP/1.1' };
  const match = { route: { routeKey: '$default' }, pathParameters: {} };
  const context = { requestId: randomUUID(), receivedAt: new Date(), match, authorized: undefined };
  // The router's match carries more than the event shows.
  return buildEvent(received, context as unknown as Parameters<typeof buildEvent>[1]);
}
