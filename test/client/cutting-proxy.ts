import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Where the next connection is cut. */
export type Cut = 'before-request' | 'after-request' | 'in-answer-body' | 'answer-held-back' | 'none';

export interface CuttingProxy {
  readonly url: string;
  /** What happens to the next connections; later ones pass. */
  cut(...cuts: readonly Cut[]): void;
  /** The `Idempotency-Key` of each request that came, whole or not. */
  readonly keys: readonly string[];
  /** The bodies of the requests that came. */
  readonly bodies: readonly string[];
  stop(): Promise<void>;
}

/** So many bytes of an answer's body come through; every answer has more. */
const BODY_BYTES_BEFORE_CUT = 10;

const END_OF_HEAD = '\r\n\r\n';

/** Passes TCP on, one request for each connection, and cuts where it was told to. */
export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const cuts: Cut[] = [];
  const keys: string[] = [];
  const bodies: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };

  const server = createServer((client) => {
    keep(client);
    let request = '';
    client.on('data', (chunk) => {
      request += chunk.toString('latin1');
      if (!isWhole(request)) return;
      keys.push(/^idempotency-key: (.*)$/im.exec(request)?.[1]?.trim() ?? '');
      bodies.push(request.slice(request.indexOf(END_OF_HEAD) + END_OF_HEAD.length));
      const bytes = Buffer.from(request.replace(/^connection: .*$/im, 'connection: close'), 'latin1');
      request = '';
      const cut = cuts.shift() ?? 'none';
      if (cut === 'before-request') return void client.resetAndDestroy();
      const upstream = keep(connect(Number(port), hostname));
      upstream.write(bytes);
      pass(upstream, client, cut);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // It listens on a port.
    cut: (...next) => void cuts.push(...next),
    keys,
    bodies,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function isWhole(request: string): boolean {
  const head = request.indexOf(END_OF_HEAD);
  if (head < 0) return false;
  const length = Number(/^content-length: (\d+)$/im.exec(request)?.[1] ?? 0);
  return request.length >= head + END_OF_HEAD.length + length;
}

function pass(upstream: Socket, client: Socket, cut: Cut): void {
  let answer = Buffer.alloc(0);
  upstream.on('data', (chunk: Buffer) => {
    if (cut === 'answer-held-back') return;
    if (cut === 'none') return void client.write(chunk);
    answer = Buffer.concat([answer, chunk]);
    const head = answer.indexOf(END_OF_HEAD);
    const end = head + END_OF_HEAD.length + BODY_BYTES_BEFORE_CUT;
    if (head < 0 || answer.length < end) return;
    // The server has answered in full, so the payment is made: only the customer does not hear of it.
    if (cut === 'after-request') client.resetAndDestroy();
    else client.end(answer.subarray(0, end));
  });
  upstream.on('end', () => {
    if (cut !== 'answer-held-back') client.end();
  });
  upstream.on('error', () => client.destroy());
}
