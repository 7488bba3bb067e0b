import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { Finish } from './direct.ts';

export interface Received {
  readonly raw: string;
  readonly signature: string;
  readonly event: { readonly id: string; readonly type: string; readonly data: { readonly object: unknown } };
  /** Milliseconds since the first one. */
  readonly afterMs: number;
}

/** A status to answer, a cut connection, or no answer at all. */
export type Behaviour = number | 'drop' | 'hang';

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it does about the next deliveries; when they are used up, it answers 200. */
  readonly script: Behaviour[];
  types(): string[];
  /** Waits for so many deliveries. */
  count(expected: number, withinMs?: number): Promise<void>;
}

const POLL_MS = 10;

/** An endpoint for webhooks, ended with the test. */
export const startReceiver = async (finish: Finish = onTestFinished): Promise<Receiver> => {
  const received: Received[] = [];
  const script: Behaviour[] = [];
  let firstAt = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    firstAt ||= Date.now();
    const signature = String(request.headers['stripe-signature']);
    received.push({ raw, signature, event: JSON.parse(raw), afterMs: Date.now() - firstAt });
    const behaviour = script.shift() ?? 200;
    if (behaviour === 'drop') request.socket.destroy();
    else if (behaviour !== 'hang') response.writeHead(behaviour).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  finish(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // A TCP server that listens has one.
  return {
    url: `http://127.0.0.1:${port}/webhooks/stripe`,
    received,
    script,
    types: () => received.map(({ event }) => event.type.replace('payment_intent.', '')),
    count: async (expected, withinMs = 5000) => {
      const end = Date.now() + withinMs;
      while (received.length < expected && Date.now() < end) await sleep(POLL_MS);
      expect(received.length).toBeGreaterThanOrEqual(expected);
    },
  };
};
