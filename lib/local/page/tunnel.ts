import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readKey } from '../../idempotency/key.ts';
import { claimAddress } from '../../idempotency/scope.ts';
import { type HttpReply, jsonReply, send } from '../gateway/http-reply.ts';
import { readBody } from '../read-body.ts';
import type { Trips } from './trips.ts';
import { type TripAnswer, TUNNEL_HEADERS } from './wire.ts';

/** Long enough to be watched, short enough not to bore. */
const TRAVEL_MS = 400;

const BODY_BYTES_MAX = 64 * 1024;

/** They belong to one connection, or to the tunnel; the rest travels on. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  ...Object.values(TUNNEL_HEADERS),
]);

export type Tunnel = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

/**
 * A bad connection between the phone and the service: it carries requests to the real gateway, and where an attempt
 * asks for it, it cuts the phone's connection before the request arrived or in front of its answer.
 */
export function createTunnel(gatewayUrl: string, trips: Trips): Tunnel {
  return async (request, response, path) => {
    const body = await readBody(request, BODY_BYTES_MAX);
    if (body === undefined) return send(response, jsonReply(413, { message: 'That is too large' }));
    const id = header(request, TUNNEL_HEADERS.attempt) ?? randomUUID();
    const fault = header(request, TUNNEL_HEADERS.fault);
    // Browsers silently resend what a reused connection lost. To the phone that is still the same attempt.
    if (trips.has(id)) return void request.socket.destroy();

    trips.start({ id, ...describeAttempt(request, body) });
    response.once('close', () => {
      if (!response.writableFinished) trips.change(id, { state: 'abandoned' });
    });
    await sleep(TRAVEL_MS);
    if (fault === 'before') {
      trips.change(id, { state: 'lost-before' });
      return void request.socket.destroy();
    }
    trips.change(id, { state: 'service', arrived: true });
    const reply = await forward(request, body, `${gatewayUrl}${path}`);
    trips.change(id, { state: 'returning', answer: describeAnswer(reply), answeredAt: Date.now() });
    await sleep(TRAVEL_MS);
    if (fault === 'after') {
      trips.change(id, { state: 'lost-after' });
      return void request.socket.destroy();
    }
    trips.change(id, { state: 'delivered' });
    send(response, { ...reply, headers: [...reply.headers, ['cache-control', 'no-store']] });
  };
}

async function forward(request: IncomingMessage, body: Buffer, url: string): Promise<HttpReply> {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    NOT_FORWARDED.has(name) || value === undefined ? [] : [[name, String(value)]],
  );
  const method = request.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const answer = await fetch(url, { method, headers, ...(hasBody && { body: new Uint8Array(body) }) });
  const kept = [...answer.headers].filter(([name]) => name !== 'connection' && name !== 'keep-alive');
  return {
    status: answer.status,
    headers: kept.filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding'),
    body: Buffer.from(await answer.arrayBuffer()),
  };
}

const header = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

function describeAttempt(request: IncomingMessage, body: Buffer) {
  const reading = readKey([header(request, 'idempotency-key')].filter((line) => line !== undefined));
  const subject = subjectOf(header(request, 'authorization'));
  const amount = jsonOf(body.toString())?.['amount'];
  return {
    run: header(request, TUNNEL_HEADERS.run) ?? 'none',
    tap: Number(header(request, TUNNEL_HEADERS.tap) ?? 1),
    amount: typeof amount === 'number' ? amount : null,
    address: reading.kind === 'key' && subject !== undefined ? claimAddress({ subject }, reading.key) : null,
  };
}

/** Read without verifying: it finds the claim that belongs to the attempt on the screen, and decides nothing. */
function subjectOf(authorization: string | undefined): string | undefined {
  const payload = authorization?.split('.')[1];
  const subject = jsonOf(Buffer.from(payload ?? '', 'base64url').toString())?.['sub'];
  return typeof subject === 'string' ? subject : undefined;
}

function describeAnswer({ status, headers, body }: HttpReply): TripAnswer {
  const field = (name: string) => headers.find(([present]) => present === name)?.[1];
  const code = status < 400 ? undefined : jsonOf(body.toString())?.['code'];
  const seconds = Number(field('retry-after') ?? Number.NaN);
  return {
    status,
    code: typeof code === 'string' ? code : null,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
    replayed: field('idempotency-replayed') === 'true',
  };
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
