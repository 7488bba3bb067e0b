import { createServer, type IncomingMessage, request } from 'node:http';

export interface LossyProxy {
  readonly endpoint: string;
  /** The next `times` requests for this DynamoDB operation reach the engine, and their replies never come back. */
  lose(operation: string, times: number): void;
  /** Requests that the engine has answered, by operation. */
  count(operation: string): number;
  stop(): Promise<void>;
}

/** What no engine can be told to do: it carries a request out and loses the reply. */
export async function lossyProxy(engine: string): Promise<LossyProxy> {
  const losses = new Map<string, number>();
  const counts = new Map<string, number>();
  const server = createServer((incoming, outgoing) => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const { method, url, headers } = incoming;
    const forward = request(new URL(url ?? '/', engine), { method, headers }, async (answer) => {
      const body = await bytesOf(answer);
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
      const left = losses.get(operation) ?? 0;
      losses.set(operation, left - 1);
      if (left > 0) incoming.socket.destroy();
      else outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
    });
    incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    lose: (operation, times) => losses.set(operation, times),
    count: (operation) => counts.get(operation) ?? 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
