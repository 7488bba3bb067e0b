import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../idempotency/json.ts';
import { tooLarge } from './answer.ts';
import { type ApiCall, createApi } from './api.ts';
import { openBook } from './book.ts';
import { control } from './control.ts';
import { Outbox } from './outbox.ts';
import { parseForm } from './params.ts';
import type { WebhookEndpoint } from './post-event.ts';
import { startSettlement } from './settlement.ts';
import { createFaults } from './trouble.ts';

/** Larger than any request that Stripe takes. */
const BODY_MAX_BYTES = 1024 * 1024;

export interface ProviderOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Where ledger, intents and keys survive a restart; without it they live in memory. */
  readonly dataDir?: string;
  /** Where events go; without it they are only noted. */
  readonly webhook?: WebhookEndpoint;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface RunningProvider {
  readonly url: string;
  close(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BODY_MAX_BYTES) chunks.push(chunk);
  }
  return size > BODY_MAX_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
};

const send = (response: ServerResponse, status: number, body: Json, headers: Record<string, string> = {}): void => {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(`${JSON.stringify(body, null, 2)}\n`);
};

/** Starts the simulator on loopback. */
export const startProvider = async ({
  port,
  dataDir,
  webhook,
  now = Date.now,
}: ProviderOptions): Promise<RunningProvider> => {
  const book = openBook(dataDir);
  const faults = createFaults();
  const api = createApi(book, now);
  const settlement = startSettlement(book, now);
  const outbox = webhook && new Outbox({ book, faults, now, endpoint: webhook });
  const timers = new Set<NodeJS.Timeout>();

  const answerLater = (call: ApiCall, response: ServerResponse, ms: number, answer: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      api.answered(call);
      if (!response.destroyed) answer();
    }, ms);
    timers.add(timer);
  };

  const reply = (call: ApiCall, response: ServerResponse): void => {
    const told = api.handle(call);
    switch (told.kind) {
      case 'never':
        return;
      case 'dropped':
        response.destroy();
        return;
      case 'answered': {
        const answer = (): void => send(response, told.answer.status, told.answer.body, told.headers);
        if (told.afterMs === 0) answer();
        else answerLater(call, response, told.afterMs, answer);
      }
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const method = request.method ?? 'GET';
    const isControl = pathname.startsWith('/local/');
    const fault = isControl ? undefined : faults.take();
    if (fault?.name === 'refuse') return void response.destroy();
    const body = await bodyOf(request);
    if (body === undefined) return send(response, tooLarge.status, tooLarge.body);
    if (isControl) {
      const told = control(method, pathname, body, book, faults);
      return send(response, told.status, told.body);
    }
    const params = parseForm(method === 'GET' ? search.slice(1) : body);
    const key = request.headers['idempotency-key'];
    reply(
      { method, path: pathname, params, authorization: request.headers.authorization, key: key?.toString(), fault },
      response,
    );
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo; // A TCP server that listens has one.
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      settlement.close();
      outbox?.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      book.close();
    },
  };
};
