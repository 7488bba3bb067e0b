import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One movement of money. */
export interface Charge {
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
  /** Whatever the caller calls its operation; look-ups go by it. */
  readonly reference: string;
}

export interface Bank {
  readonly url: string;
  chargesOf(orderId: string): readonly Charge[];
  /** The order's next charge is made at once, and answered when the function that this gives is called. */
  holdAnswer(orderId: string): () => void;
  close(): Promise<void>;
}

/**
 * A provider of payments that charges as often as it is asked to; or, when it dedupes, once for each
 * `Idempotency-Key`, which it remembers for as long as it lives.
 *
 * `POST /charges` charges, `GET /charges?reference=` looks up, and `POST /closed-keys` uses a key up without a charge.
 */
export async function startBank(dedupes: boolean): Promise<Bank> {
  const charges: Charge[] = [];
  const keys = new Map<string, Charge | 'closed'>();
  /** By order: what the next answer waits for. */
  const holds = new Map<string, Promise<void>>();

  const chargeOnce = (key: string | undefined, order: Omit<Charge, 'id'>): Charge | 'closed' => {
    const known = dedupes && key !== undefined ? keys.get(key) : undefined;
    if (known !== undefined) return known;
    const charge = { id: randomUUID(), ...order };
    charges.push(charge);
    if (key !== undefined) keys.set(key, charge);
    return charge;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bank');
    const key = request.headers['idempotency-key']?.toString();
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    switch (`${request.method} ${pathname}`) {
      case 'GET /charges': {
        const found = charges.filter(({ reference }) => reference === searchParams.get('reference'));
        return void answer(200, found);
      }
      case 'POST /closed-keys': {
        if (!dedupes || key === undefined) return void answer(404, {});
        if (keys.get(key) === undefined) keys.set(key, 'closed');
        return void answer(keys.get(key) === 'closed' ? 200 : 409, {});
      }
      case 'POST /charges': {
        const order = JSON.parse(await textOf(request)) as Omit<Charge, 'id'>; // Our own handlers' requests.
        const charged = chargeOnce(key, order);
        const hold = holds.get(order.orderId);
        holds.delete(order.orderId);
        await hold;
        return void (charged === 'closed' ? answer(409, {}) : answer(201, charged));
      }
      default:
        answer(404, {});
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server that listens has one.
  return {
    url: `http://127.0.0.1:${port}`,
    chargesOf: (orderId) => charges.filter((charge) => charge.orderId === orderId),
    holdAnswer: (orderId) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      holds.set(orderId, promise);
      return resolve;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
