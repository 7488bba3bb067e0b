import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FunctionProcess, ownerOf } from './processes.ts';
import { readTraffic, type Seen } from './traffic.ts';

/** One request to the engine, and the process that sent it. */
export interface Exchange extends Seen {
  /** `PutItem`, `UpdateItem` and so on. */
  readonly operation: string;
  readonly from: FunctionProcess | undefined;
}

/** What becomes of a request; all of it optional. */
export interface Ruling {
  /** When the request is here, before anything is passed on. */
  readonly arrived?: () => void;
  /** Passed on this many milliseconds late. */
  readonly holdMs?: number;
  /** Never passed on, and never answered. */
  readonly isSwallowed?: boolean;
  /** When the engine has carried it out, before the reply is passed on. */
  readonly carriedOut?: () => void;
  /** The reply never gets back. */
  readonly isReplyLost?: boolean;
}

export interface EngineProxy {
  readonly url: string;
  /** Resets every connection and takes no request until it is told otherwise. */
  setOutage(isDown: boolean): void;
  /** Keeps every request and reply waiting until it is told otherwise. */
  setStall(isStalled: boolean): void;
  /** Resolves when no request is on its way any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const POLL_MS = 50;

/** Stands between the functions and the engine, and does to their conversation what networks do. */
export async function startEngineProxy(engineUrl: string, judge: (exchange: Exchange) => Ruling): Promise<EngineProxy> {
  const agent = new Agent({ keepAlive: true });
  const owners = new WeakMap<Socket, FunctionProcess>();
  let isDown = false;
  let isStalled = false;
  let underWay = 0;

  const ownerAt = async (socket: Socket): Promise<FunctionProcess | undefined> => {
    const owner = owners.get(socket) ?? (await ownerOf(socket.remotePort ?? 0));
    if (owner !== undefined) owners.set(socket, owner);
    return owner;
  };

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await bytesOf(incoming);
    if (isDown) return void incoming.socket.destroy();
    while (isStalled) await sleep(POLL_MS);
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const ruling = judge({
      operation,
      ...readTraffic(operation, body.toString()),
      from: await ownerAt(incoming.socket),
    });
    ruling.arrived?.();
    if (ruling.isSwallowed) return void incoming.socket.destroy();
    if (ruling.holdMs !== undefined) await sleep(ruling.holdMs);
    const reply = await passOn(engineUrl, agent, incoming, body);
    ruling.carriedOut?.();
    if (ruling.isReplyLost || isDown) return void incoming.socket.destroy();
    outgoing.writeHead(reply.status, reply.headers).end(reply.body);
  };

  const server = createServer((incoming, outgoing) => {
    underWay += 1;
    serve(incoming, outgoing)
      .catch(() => incoming.socket.destroy())
      .finally(() => {
        underWay -= 1;
      });
  });
  // The functions' clients keep their connections; a server that closes idle ones would look like a fault.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server that listens has one.
  return {
    url: `http://127.0.0.1:${port}`,
    setOutage: (now) => {
      isDown = now;
      if (isDown) server.closeAllConnections();
    },
    setStall: (now) => {
      isStalled = now;
    },
    idle: async () => {
      while (underWay > 0) await sleep(POLL_MS);
    },
    close: async () => {
      isStalled = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}

async function passOn(engineUrl: string, agent: Agent, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const forward = request(new URL(url ?? '/', engineUrl), { method, headers, agent }, resolve);
  forward.on('error', reject);
  forward.end(body);
  const answer = await promise;
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await bytesOf(answer) };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
