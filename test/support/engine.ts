import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CreateTableCommand, DeleteTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DUE_AT, DUE_INDEX, DUE_SHARD, PARTITION_KEY } from '../../lib/contract/table.ts';
import { dynamoDbClient } from '../../lib/stores/dynamodb/client.ts';

const BINARY = fileURLToPath(new URL('../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url));
/** Starts in well under a second; a busy machine gets this long. */
const START_MS_MAX = 20_000;
const POLL_MS = 25;
/** Two processes may have been given the same free port; the second one to bind it tries another. */
const PORTS_MAX = 5;

export interface Engine {
  readonly endpoint: string;
  /** Patient: several test files share the machine, so the time-outs of production do not fit. */
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  stop(): Promise<void>;
}

/** A DynamoDB engine with one empty table of the shape that the data stack makes. */
export async function startEngine(): Promise<Engine> {
  const { endpoint, stop } = await startServer();
  const client = testClient(endpoint);
  const tableName = `chipta-${randomUUID()}`;
  await makeTable(client, tableName);
  return {
    endpoint,
    client,
    tableName,
    async stop() {
      await client.send(new DeleteTableCommand({ TableName: tableName }));
      await stop();
    },
  };
}

export const testClient = (endpoint: string): DynamoDBDocumentClient =>
  dynamoDbClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestMs: 20_000,
  });

export async function makeTable(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: PARTITION_KEY, AttributeType: 'S' },
        { AttributeName: DUE_SHARD, AttributeType: 'N' },
        { AttributeName: DUE_AT, AttributeType: 'N' },
      ],
      KeySchema: [{ AttributeName: PARTITION_KEY, KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: DUE_INDEX,
          KeySchema: [
            { AttributeName: DUE_SHARD, KeyType: 'HASH' },
            { AttributeName: DUE_AT, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
}

async function startServer(): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  if (existsSync(BINARY)) return startEmbedded(PORTS_MAX);
  const endpoint = process.env['DYNAMODB_ENDPOINT'];
  if (endpoint !== undefined) return { endpoint, stop: async () => {} };
  throw new Error(
    'No DynamoDB engine: this platform has no @dynoxide binary in node_modules, and DYNAMODB_ENDPOINT is not set. ' +
      'Run npm ci on Linux x64, or set DYNAMODB_ENDPOINT to a DynamoDB, for example http://localhost:8000 of DynamoDB Local.',
  );
}

async function startEmbedded(portsLeft: number): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn(BINARY, ['serve', '--host', '127.0.0.1', '--port', String(port)], { stdio: 'ignore' });
  const killWithMe = () => child.kill('SIGKILL');
  process.once('exit', killWithMe);
  const stop = async () => {
    process.off('exit', killWithMe);
    await end(child);
  };
  if (await answers(endpoint, child)) return { endpoint, stop };
  await stop();
  if (portsLeft > 1) return startEmbedded(portsLeft - 1);
  throw new Error(`The engine ${BINARY} did not answer on ${endpoint} within ${START_MS_MAX} ms.`);
}

async function answers(endpoint: string, child: ChildProcess): Promise<boolean> {
  const client = testClient(endpoint);
  for (let waitedMs = 0; waitedMs < START_MS_MAX && child.exitCode === null; waitedMs += POLL_MS) {
    const answered = await client.send(new ListTablesCommand({})).then(
      () => true,
      () => false,
    );
    if (answered) return child.exitCode === null;
    await sleep(POLL_MS);
  }
  return false;
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('No free port')),
      );
    });
  });
}
