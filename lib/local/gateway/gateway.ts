import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../lambda/outcome.ts';
import { PAYLOAD_BYTES_MAX } from '../lambda/runtime-api.ts';
import { readBody } from '../read-body.ts';
import type { CorsModel, RouteModel } from '../template/service-model.ts';
import type { Authorization } from './authorize.ts';
import { corsHeaders, isPreflight, PREFLIGHT_REPLY, withoutCors } from './cors.ts';
import { buildEvent, type GatewayRequest } from './event.ts';
import { functionReply, serviceUnavailable } from './function-reply.ts';
import { gatewayReply, type HttpReply, send, withHeaders } from './http-reply.ts';
import { createRouter } from './router.ts';
import { parseTarget, type Target } from './target.ts';

/** An HTTP API's limit on a request's body. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

export interface GatewayOptions {
  readonly routes: readonly RouteModel[];
  readonly cors: CorsModel | undefined;
  readonly authorize: (route: RouteModel, header: string | undefined) => Promise<Authorization>;
  readonly invoke: (functionId: string, event: object, waitMs: number) => Promise<Outcome>;
}

export type Gateway = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves the template's routes as an HTTP API does. A client that goes away does not end its invocation. */
export function createGateway(options: GatewayOptions): Gateway {
  const respond = createResponder(options);
  return async (request, response) => {
    const requestId = `${randomBytes(11).toString('base64url')}=`;
    const preflight = options.cors !== undefined && isPreflight(request.method ?? '', request.headers);
    const reply = preflight ? PREFLIGHT_REPLY : await respond(request, requestId);
    const cors = options.cors ? corsHeaders(options.cors, request.headers.origin, preflight) : [];
    const own = options.cors ? { ...reply, headers: withoutCors(reply.headers) } : reply;
    send(response, withHeaders(own, [...cors, ['apigw-requestid', requestId]]));
  };
}

function createResponder({ routes, authorize, invoke }: GatewayOptions) {
  const route = createRouter(routes);
  return async (request: IncomingMessage, requestId: string): Promise<HttpReply> => {
    const receivedAt = new Date();
    const body = await readBody(request, BODY_BYTES_MAX);
    if (body === undefined) return gatewayReply(413, 'Request Entity Too Large', [['connection', 'close']]);
    const target = parseTarget(request.url ?? '/');
    if (target.kind === 'malformed') return gatewayReply(400, 'Bad Request');
    const match = route(request.method ?? '', target.path);
    if (!match) return gatewayReply(404, 'Not Found');
    const authorization = await authorize(match.route, request.headers.authorization);
    if (authorization.kind === 'refused') return authorization.reply;
    const authorized = authorization.kind === 'authorized' ? authorization.jwt : undefined;
    const event = buildEvent(requestOf(request, target, body), { requestId, receivedAt, match, authorized });
    if (Buffer.byteLength(JSON.stringify(event)) > PAYLOAD_BYTES_MAX)
      return gatewayReply(413, 'Request Entity Too Large');
    const { functionId, integrationTimeoutMs } = match.route;
    return within(integrationTimeoutMs, invoke(functionId, event, integrationTimeoutMs).then(functionReply));
  };
}

function requestOf(request: IncomingMessage, { path, query }: Target, body: Buffer): GatewayRequest {
  return {
    method: request.method ?? '',
    path,
    query,
    rawHeaders: request.rawHeaders,
    body,
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    protocol: `HTTP/${request.httpVersion}`,
  };
}

/** The invocation goes on after the gateway gave up on it, as in an account. */
async function within(limitMs: number, reply: Promise<HttpReply>): Promise<HttpReply> {
  const timer = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: timer.signal }).then(serviceUnavailable, serviceUnavailable);
  try {
    return await Promise.race([reply, limit]);
  } finally {
    timer.abort();
  }
}
