import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningFixture, startFixture } from './support.ts';

let local: RunningFixture;
beforeAll(async () => {
  local = await startFixture({ RETENTION_SECONDS: '60', RECONCILE_GRACE_SECONDS: '2' });
});
afterAll(() => local.stop());

const ask = async (path: string, init?: RequestInit) => {
  const response = await local.call(path, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
};
const post = (path: string) => ask(path, { method: 'POST' });
const INTERNAL = { status: 500, body: { message: 'Internal Server Error' } };

describe('execution environments', () => {
  it('are used again while they are warm', async () => {
    const first = await ask('/open');
    const second = await ask('/open');
    expect(second.body.pid).toBe(first.body.pid);
    expect(second.body.invocations).toBe(first.body.invocations + 1);
  });

  it('take one request at a time', async () => {
    const all = await Promise.all([1, 2, 3].map(() => ask('/open?do=sleep&ms=300')));
    expect(new Set(all.map(({ body }) => body.pid)).size).toBe(3);
  });

  it('are started warm, so that the first request is no cold start', async () => {
    const { body } = await post('/single');
    expect(body.invocations).toBe(1);
    const { killed } = (await post('/local/kill?function=single')).body;
    expect(killed).toBe(1);
  });

  it('queue what is beyond the concurrency of the function', async () => {
    const all = await Promise.all([1, 2, 3].map(() => post('/single?do=sleep&ms=100')));
    expect(new Set(all.map(({ body }) => body.pid)).size).toBe(1);
    expect(all.map(({ body }) => body.invocations).sort()).toEqual([1, 2, 3]);
  });

  it('work on after the gateway has given up, and nobody waits for them longer than the gateway does', async () => {
    const unavailable = { status: 503, body: { message: 'Service Unavailable' } };
    const startedAt = Date.now();
    const both = await Promise.all([post('/impatient?do=sleep&ms=1500'), post('/impatient')]);
    expect(both).toEqual([unavailable, unavailable]);
    expect(Date.now() - startedAt).toBeLessThan(1400);
    expect(local.log).toContain('[single] no execution environment became free in time');
    expect((await post('/single')).body.invocations).toBe(5);
  });

  it('are killed at the time-out, busy or not, and replaced', async () => {
    const before = (await ask('/open')).body.pid;
    const startedAt = Date.now();
    expect(await ask('/open?do=spin')).toEqual(INTERNAL);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(2900);
    expect(Date.now() - startedAt).toBeLessThan(6000);
    expect(local.log.some((line) => line.includes('[echo] Task timed out after 3.00 seconds'))).toBe(true);
    expect(isAlive(before)).toBe(false);
    expect((await ask('/open')).status).toBe(200);
  });

  it('are replaced after a crash', async () => {
    const before = (await ask('/open')).body.pid;
    expect(await ask('/open?do=exit')).toEqual(INTERNAL);
    const after = (await ask('/open')).body;
    expect(after.pid).not.toBe(before);
  });

  it('live on when the handler throws', async () => {
    const before = (await ask('/open')).body.pid;
    expect(await ask('/open?do=throw')).toEqual(INTERNAL);
    expect((await ask('/open')).body.pid).toBe(before);
    expect(local.log.some((line) => line.startsWith('[echo] TypeError: thrown on purpose'))).toBe(true);
  });

  it('fail every request when the bundle cannot be loaded', async () => {
    expect(await post('/broken')).toEqual(INTERNAL);
    expect(local.log.some((line) => line.includes('failed to start: Error: cannot be loaded'))).toBe(true);
  });

  it('fail a response of more than 6 MB', async () => {
    expect(await ask('/open?do=large')).toEqual(INTERNAL);
    expect((await ask('/open')).status).toBe(200);
  });

  it('go on with a request whose client has gone', async () => {
    const before = (await ask('/open')).body;
    await local.call('/open?do=sleep&ms=300', { signal: AbortSignal.timeout(100) }).catch(() => undefined);
    await sleep(400);
    const after = (await ask('/open')).body;
    expect(after).toMatchObject({ pid: before.pid, invocations: before.invocations + 2 });
  });

  it('have the variables of Lambda, of the template and of the local run, and no others', async () => {
    const { variables, cwd } = (await ask('/open?do=environment')).body;
    expect(variables).toMatchObject({
      AWS_REGION: 'us-east-1',
      AWS_LAMBDA_FUNCTION_NAME: 'Service-Echo',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
      TABLE_NAME: 'fixture-data-Table',
      DOCS_BASE_URL: local.url,
      RETENTION_SECONDS: '60',
      RECONCILE_GRACE_SECONDS: '2',
      LAMBDA_TASK_ROOT: cwd,
      TZ: ':UTC',
    });
    const endpoints = ['DYNAMODB', 'SECRETS_MANAGER', 'SQS'].map((service) => `AWS_ENDPOINT_URL_${service}`);
    for (const name of [...endpoints, 'STRIPE_API_BASE']) {
      expect(variables[name]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    }
    for (const name of ['HOME', 'VITEST', 'PORT', 'npm_command']) expect(variables).not.toHaveProperty(name);
  });

  it('tell the handler who it is and how long it has', async () => {
    const { body } = await ask('/open?do=context');
    expect(body).toMatchObject({ functionName: 'Service-Echo', memoryLimitInMB: '256', functionVersion: '$LATEST' });
    expect(body.awsRequestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.invokedFunctionArn).toBe('arn:aws:lambda:us-east-1:000000000000:function:Service-Echo');
    expect(body.remainingMs).toBeGreaterThan(2000);
    expect(body.remainingMs).toBeLessThanOrEqual(3000);
  });
});

describe('the controls', () => {
  it('kill every process of a function in the middle of its work', async () => {
    const working = [ask('/open?do=sleep&ms=2000'), ask('/open?do=sleep&ms=2000')];
    await sleep(500);
    const { killed } = (await post('/local/kill?function=echo')).body;
    expect(killed).toBeGreaterThanOrEqual(2);
    expect(await Promise.all(working)).toEqual([INTERNAL, INTERNAL]);
    expect((await ask('/open')).body.invocations).toBe(1);
  });

  it('name the functions there are when they are asked for another', async () => {
    const { status, body } = await post('/local/kill?function=nobody');
    expect(status).toBe(404);
    expect(body.message).toContain('echo, single, broken, reconcile');
  });

  it('run the reconciler at once and hand its result over', async () => {
    const { status, body } = await post('/local/reconcile');
    expect(status).toBe(200);
    expect(body).toEqual({ runs: 1, source: 'aws.scheduler', grace: '2' });
  });

  it('are empty where the template has no queue and no route for webhooks', async () => {
    expect(await ask('/local/queues')).toEqual({ status: 200, body: [] });
    expect(await ask('/local/dead-letters')).toEqual({ status: 200, body: [] });
    expect(await ask('/local/events')).toEqual({ status: 200, body: [] });
  });

  it("pass the provider's own controls through", async () => {
    expect(await ask('/local/ledger')).toEqual({ status: 200, body: [] });
    const unknown = { method: 'POST', body: '{"fault":"no such fault"}' };
    expect((await ask('/local/faults', unknown)).status).toBe(400);
  });

  it('take the database out of reach and bring it back with all that it held', async () => {
    const { AWS_ENDPOINT_URL_DYNAMODB: endpoint } = (await ask('/open?do=environment')).body.variables;
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
    const TableName = 'fixture-data-Table';
    const get = () => client.send(new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } }));
    await client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' } } }));

    expect(await post('/local/engine?do=stop')).toEqual({ status: 200, body: { engine: 'stopped' } });
    await expect(get()).rejects.toThrow();
    await expect(get()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await post('/local/engine?do=start')).toEqual({ status: 200, body: { engine: 'running' } });
    expect((await get()).Item).toEqual({ pk: { S: 'a' } });
    expect((await post('/local/engine?do=explode')).status).toBe(400);
  });

  it('answer for the secrets of the template and for no others', async () => {
    const { variables } = (await ask('/open?do=environment')).body;
    const getSecret = async (SecretId: string) => {
      const response = await fetch(variables.AWS_ENDPOINT_URL_SECRETS_MANAGER, {
        method: 'POST',
        headers: { 'x-amz-target': 'secretsmanager.GetSecretValue' },
        body: JSON.stringify({ SecretId }),
      });
      return { status: response.status, body: await response.json() };
    };
    expect((await getSecret(variables.STRIPE_SECRET_ID)).body).toMatchObject({ SecretString: 'sk_test_local' });
    expect(await getSecret('another')).toMatchObject({ status: 400, body: { __type: 'ResourceNotFoundException' } });
  });
});

function isAlive(pid: number): boolean {
  return execFileSync('ps', ['-eo', 'pid'], { encoding: 'utf8' }).split(/\s+/).includes(String(pid));
}
