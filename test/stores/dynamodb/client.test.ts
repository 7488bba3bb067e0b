import { createServer, type Server, type Socket } from 'node:net';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { dynamoDbClient } from '../../../lib/stores/dynamodb/client.ts';

/** A function of 4 s must still answer, so what a claim's write may take ends well before. */
const GIVE_UP_MS_MAX = 3_000;

const toClose: (Server | Socket)[] = [];
afterEach(() => {
  for (const open of toClose.splice(0))
    if ('destroy' in open) open.destroy();
    else open.close();
});

/** Between two pieces of a slow answer: shorter than any time-out for an idle connection. */
const TRICKLE_MS = 100;

/** Accepts connections, says what it is told to at once and then again and again, and never finishes. */
async function silent(said = '', again = ''): Promise<{ endpoint: string; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    toClose.push(socket);
    socket.on('error', () => socket.destroy());
    const trickle = setInterval(() => socket.write(again), TRICKLE_MS);
    socket.once('close', () => clearInterval(trickle));
    socket.once('data', () => socket.write(said));
  });
  toClose.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port');
  return { endpoint: `http://127.0.0.1:${address.port}`, connections: () => connections };
}

async function timedPut(endpoint: string): Promise<{ error: { name: string }; ms: number }> {
  const client = dynamoDbClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const start = performance.now();
  const error = await client.send(new PutCommand({ TableName: 'claims', Item: { pk: 'x' } })).then(
    () => ({ name: 'none' }),
    (reason: Error) => reason,
  );
  return { error, ms: performance.now() - start };
}

it('a server that never answers is given up after two attempts, in time to answer 503', async () => {
  const { endpoint, connections } = await silent();
  const { error, ms } = await timedPut(endpoint);
  expect(error.name).toBe('TimeoutError');
  expect(connections()).toBe(2);
  expect(ms).toBeGreaterThan(1_700);
  expect(ms).toBeLessThan(GIVE_UP_MS_MAX);
});

it('an answer that stalls after its headers is given up in time, too', async () => {
  const { endpoint } = await silent('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{');
  const { error, ms } = await timedPut(endpoint);
  expect(error.name).not.toBe('none');
  expect(ms).toBeLessThan(GIVE_UP_MS_MAX);
});

it('an answer that trickles in is given up in time, too', async () => {
  const { endpoint } = await silent('HTTP/1.1 200 OK\r\n', 'x-slow: 1\r\n');
  const { error, ms } = await timedPut(endpoint);
  expect(error.name).toBe('TimeoutError');
  expect(ms).toBeLessThan(GIVE_UP_MS_MAX);
});

it('members without a value are left out', async () => {
  const client = dynamoDbClient({ region: 'eu-central-1', requestMs: 10 });
  expect(client.config.translateConfig?.marshallOptions).toMatchObject({ removeUndefinedValues: true });
  expect(await client.config.region()).toBe('eu-central-1');
});

it('the SDK finds region and endpoint where none is given', () => {
  expect(dynamoDbClient().config.translateConfig).toBeDefined();
});
