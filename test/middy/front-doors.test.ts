import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { HttpEvent } from '../../lib/http/exchange.ts';
import type { HttpResult } from '../../lib/http/result.ts';
import { idempotency } from '../../lib/middy/idempotency.ts';
import { problemErrors } from '../../lib/middy/problem-errors.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { balancerEvent, restEvent, urlEvent } from '../http/events.ts';
import { apiEvent, lambdaContext } from '../support/events.ts';
import { fakeAmbient } from '../support/fake-ambient.ts';
import { DOCS } from '../support/service.ts';

/** One service that stands behind every kind of front door. */
function service(handler: (event: HttpEvent) => Promise<unknown>) {
  const ambient = fakeAmbient();
  const store = memoryStore({ now: ambient.now });
  const errors: unknown[] = [];
  let runs = 0;
  const app = middy<HttpEvent, HttpResult>()
    .use(problemErrors({ docsBase: DOCS, onUnexpected: (error) => errors.push(error) }))
    .use(idempotency({ store, ambient, docsBase: DOCS, principal: () => ({ subject: 'alice' }) }))
    .handler((event) => {
      runs += 1;
      return handler(event) as Promise<HttpResult>; // Handlers may return anything.
    });
  const send = (event: unknown, context: Context = lambdaContext()) => app(event as HttpEvent, context);
  return { send, errors, runs: () => runs };
}

const path = '/payments';
const body = '{"amount":1}';
const keyed = { 'Idempotency-Key': ['k'] };

/** The same request through every front door, none of which has a route for it. */
const DOORS = {
  'API Gateway 1.0': () =>
    restEvent({ path, body, resource: '/{proxy+}', parameters: { proxy: 'payments' }, headers: keyed }),
  'API Gateway 2.0': () => apiEvent({ path, body, routeKey: '$default', key: 'k' }),
  'a function URL': () => urlEvent({ path, body, key: 'k' }),
  'a load balancer': () => balancerEvent({ path, body, headers: { 'idempotency-key': ['k'] } }),
  'a load balancer with multi-value headers': () =>
    balancerEvent({ path, body, headers: { 'idempotency-key': ['k'] }, isMultiValue: true }),
} as const;
type DoorName = keyof typeof DOORS;
const NAMES = Object.keys(DOORS) as DoorName[];

const headersOf = ({ headers, multiValueHeaders }: HttpResult) =>
  Object.fromEntries(
    Object.entries({ ...headers, ...multiValueHeaders }).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
const bytesOf = ({ body = '', isBase64Encoded = false }: HttpResult) =>
  Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');

describe.each(NAMES)('an answer that was stored behind %s', (first) => {
  const pdf = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0x00]);

  // E1, E4
  test.each(NAMES)('is replayed byte for byte behind %s', async (second) => {
    const s = service(async () => ({
      statusCode: 201,
      headers: { 'Content-Type': 'application/pdf', Location: '/files/1', ETag: '"v1"' },
      body: pdf.toString('base64'),
      isBase64Encoded: true,
    }));
    const [answer, replay] = [await s.send(DOORS[first]()), await s.send(DOORS[second]())];
    expect([replay.statusCode, replay.isBase64Encoded, bytesOf(replay).equals(pdf)]).toEqual([201, true, true]);
    expect(headersOf(replay)).toEqual({ ...headersOf(answer), 'idempotency-replayed': 'true' });
    expect(s.runs()).toBe(1);
  });

  // E2
  test('never has cookies, and the first time has all of them', async () => {
    const s = service(async () => ({
      statusCode: 200,
      headers: { 'Content-Length': '1', Date: 'today', 'WWW-Authenticate': 'Basic' },
      multiValueHeaders: { 'SET-COOKIE': ['a=1'] },
      cookies: ['b=2'],
      body: 'x',
    }));
    const answer = await s.send(DOORS[first]());
    expect(JSON.stringify(answer)).toContain('b=2');
    expect(headersOf(await s.send(DOORS[first]()))).toEqual({ 'idempotency-replayed': 'true' });
  });

  // A10
  test.each([
    ['nothing', undefined, ''],
    ['null', null, 'null'],
    ['text', 'x', 'x'],
    ['an object', {}, '{}'],
  ])('may have been shorthand: %s', async (_, result, text) => {
    const s = service(async () => result);
    const [answer, replay] = [await s.send(DOORS[first]()), await s.send(DOORS[first]())];
    expect([answer.statusCode, answer.body, replay.statusCode, replay.body]).toEqual([200, text, 200, text]);
    expect(s.runs()).toBe(1);
  });

  // C11
  test('is not the answer to another request', async () => {
    const s = service(async () => ({ statusCode: 201 }));
    await s.send(DOORS[first]());
    const other = await s.send({ ...DOORS[first](), body: '{"amount":2}' });
    expect([other.statusCode, headersOf(other)['content-type']]).toEqual([422, 'application/problem+json']);
  });

  // E4
  test('is never a stream: it is refused before anything is stored', async () => {
    const s = service(async () => ({ statusCode: 200, body: new ReadableStream() }));
    expect((await s.send(DOORS[first]())).statusCode).toBe(500);
    expect(String(s.errors[0])).toContain('do not use a streaming execution mode');
    expect((await s.send(DOORS[first]())).statusCode).toBe(500);
    expect(s.runs()).toBe(2);
  });
});

// D3
test('two keys are refused where the front door shows both', async () => {
  const s = service(async () => ({ statusCode: 201 }));
  const two = ['k1', 'k2'];
  const events = [
    restEvent({ headers: { 'Idempotency-Key': two } }),
    apiEvent({ key: 'k1,k2' }),
    balancerEvent({ headers: { 'idempotency-key': two }, isMultiValue: true }),
  ];
  for (const event of events) expect((await s.send(event)).statusCode).toBe(400);
  expect(s.runs()).toBe(0);
});

test('an event that is no request fails with what it is, and is not answered as one', async () => {
  const s = service(async () => ({ statusCode: 201 }));
  for (const event of [{ Records: [{ eventSource: 'aws:sqs' }] }, null])
    await expect(s.send(event)).rejects.toThrow('This function received');
  expect(s.errors).toHaveLength(2);
});
