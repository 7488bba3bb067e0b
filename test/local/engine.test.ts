import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { createTables } from '../../lib/local/create-tables.ts';
import { type Engine, startEngine } from '../../lib/local/engine.ts';
import { readAssembly } from '../../lib/local/template/assembly.ts';
import { localNames } from '../../lib/local/template/local-values.ts';
import { readService } from '../../lib/local/template/read-service.ts';
import { ASSEMBLY } from './support.ts';

const REGION = 'us-east-1';
const TableName = 'fixture-data-Table';
const { tables } = readService(
  readAssembly(ASSEMBLY),
  localNames({ region: REGION, apiUrl: 'http://local', queuesUrl: 'http://queues' }),
);

const started: Engine[] = [];
const warnings: string[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((engine) => engine.close()));
  warnings.length = 0;
});

async function start(dataDirectory?: string, endpoint?: string): Promise<Engine> {
  const engine = await startEngine({
    endpoint,
    dataDirectory,
    prepare: (url) => createTables(tables, { url, region: REGION, credentials: {} }),
    warn: (line) => warnings.push(line),
  });
  started.push(engine);
  return engine;
}

const clientOf = ({ url }: Engine) =>
  new DynamoDBClient({
    endpoint: url,
    region: REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
const put = (engine: Engine) => clientOf(engine).send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' } } }));
const get = (engine: Engine) => clientOf(engine).send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } }));

describe('the engine', () => {
  it("has the template's tables with their index", async () => {
    const { Table } = await clientOf(await start()).send(new DescribeTableCommand({ TableName }));
    expect(Table).toMatchObject({
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [{ IndexName: 'due', Projection: { ProjectionType: 'KEYS_ONLY' } }],
    });
  });

  it('keeps its tables in a data directory', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'engine-'));
    const first = await start(directory);
    await put(first);
    await first.close();
    expect((await get(await start(directory))).Item).toEqual({ pk: { S: 'a' } });
    rmSync(directory, { recursive: true });
  });

  it('tells that it has died, refuses calls, and comes back with its tables when it is started again', async () => {
    const engine = await start();
    await put(engine);
    for (const pid of engineProcesses()) process.kill(pid, 'SIGKILL');
    await until(() => warnings.length > 0);
    expect(warnings[0]).toContain('The DynamoDB engine has ended');
    await expect(get(engine)).rejects.toThrow();
    await engine.start();
    expect((await get(engine)).Item).toBeUndefined();
  });

  it('is the one that the endpoint names, which is not ours to stop', async () => {
    const own = await start();
    const other = await start(undefined, own.url);
    await put(other);
    expect((await get(own)).Item).toEqual({ pk: { S: 'a' } });
    await expect(other.stop()).rejects.toThrow('DYNAMODB_ENDPOINT');
    await other.close();
    expect((await get(own)).Item).toEqual({ pk: { S: 'a' } });
  });

  it('says what is wrong when the named endpoint is not there', async () => {
    await expect(start(undefined, 'http://127.0.0.1:9')).rejects.toThrow(
      'The tables cannot be created at http://127.0.0.1:9',
    );
  });
});

/** Engines that this process started, by way of their guards. */
function engineProcesses(): number[] {
  const processes = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const guards = new Set(processes.filter(([, parent]) => parent === String(process.pid)).map(([pid]) => pid));
  return processes
    .filter(([, parent, program]) => guards.has(parent) && program?.endsWith('/dynoxide'))
    .map(([pid]) => Number(pid));
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100 && !condition(); tries += 1) await sleep(20);
  expect(condition()).toBe(true);
}
