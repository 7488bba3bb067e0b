import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  cutBody,
  finished,
  hang,
  json,
  keysOf,
  PAYMENT,
  paid,
  problem,
  reset,
  START,
  summary,
  type Turn,
  world,
} from './world.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const bare = (status: number, headers: Record<string, string> = {}): Turn => json(status, { message: 'x' }, headers);
const replayed = { 'idempotency-replayed': 'true' };

const AGAIN: readonly (readonly [what: string, turn: Turn])[] = [
  ['the socket is reset', reset],
  ['no answer comes', hang],
  ['the body of a 201 is cut', cutBody],
  [
    'the JSON of a 201 ends early',
    async () => new Response('{"id":', { status: 201, headers: { 'content-type': 'application/json; charset=utf-8' } }),
  ],
  ['the first request is still running (409, same-key)', problem(409, 'same-key')],
  ['it comes too early (425)', bare(425)],
  ['the server waited too long for it (408)', bare(408)],
  ['there are too many requests (429)', bare(429)],
  ['the server fails (500)', bare(500)],
  ['the gateway hears nonsense (502)', bare(502)],
  ['the service is away (503)', problem(503, 'same-key')],
  ['the gateway hears nothing (504)', bare(504)],
  ['a status asks for the same key, whatever it is', problem(400, 'same-key')],
  ['the page may not see the answer (status 0)', async () => Response.error()],
];

const FINAL: readonly (readonly [what: string, status: number, turn: Turn])[] = [
  ['success', 201, paid],
  ['success without a body', 204, async () => new Response(null, { status: 204 })],
  ['an answer that names no type', 200, async () => new Response(new Uint8Array([123]))],
  [
    'an answer of JSON type without a body',
    200,
    async () => new Response('', { headers: { 'content-type': 'application/json' } }),
  ],
  ['a refused request', 400, problem(400, 'no')],
  ['a decline', 402, problem(402, 'new-key')],
  ['a missing route', 404, bare(404)],
  ['an order that is paid', 409, problem(409, 'no')],
  ['a conflict of the business', 409, bare(409)],
  ['a replayed conflict of the business', 409, bare(409, replayed)],
  ['a reused key', 422, problem(422, 'new-key')],
  ['a stored failure', 500, problem(500, 'new-key')],
  ['a replayed failure', 500, bare(500, replayed)],
  ['a problem that is no object', 400, json(400, null, { 'content-type': 'application/problem+json' })],
  [
    'a problem without a body',
    400,
    async () => new Response(null, { status: 400, headers: { 'content-type': 'application/problem+json' } }),
  ],
];

describe('an attempt', () => {
  // J5
  it.each(AGAIN)('is made again, with the same key and the same bytes, when %s', async (_what, turn) => {
    const { client, play, seen } = world();
    play(turn, turn, turn, paid);
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send())).toEqual({ kind: 'answered', status: 201 });
    expect(seen).toHaveLength(4);
    expect(keysOf(seen)).toEqual([payment.key]);
    expect(new Set(seen.map(({ text }) => text))).toEqual(new Set(['{"orderId":"order-1","amount":100000}']));
  });

  it.each(AGAIN)('that is the last one leaves the outcome unknown, never failed, when %s', async (_what, turn) => {
    const { client, play } = world();
    play(turn);
    const payment = await client.open('checkout', PAYMENT);
    const result = await finished(payment.send());
    expect(result).toMatchObject({ kind: 'unknown', reason: 'deadline', key: payment.key });
    play(paid);
    if (result.kind === 'unknown') expect(await summary(result.resume())).toEqual({ kind: 'answered', status: 201 });
  });

  it.each(FINAL)('is the last one when the answer is %s', async (_what, status, turn) => {
    const { client, play, seen } = world();
    play(turn);
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send())).toEqual({ kind: 'answered', status });
    expect([seen.length, payment.state]).toEqual([1, 'settled']);
  });

  it.each(FINAL.filter(([, status]) => status !== 404))(
    'after a lost one ends just the same when the answer is %s',
    async (_what, status, turn) => {
      const { client, play } = world();
      play(reset, turn);
      expect(await summary((await client.open('checkout', PAYMENT)).send())).toEqual({ kind: 'answered', status });
    },
  );

  it('carries the frozen parts and the key, whatever headers the caller adds', async () => {
    const headers = { authorization: 'Bearer 1', 'content-type': 'text/plain', 'idempotency-key': 'mine' };
    const { client, seen } = world({ headers: () => headers });
    const payment = await client.open('checkout', {
      ...PAYMENT,
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
    });
    await finished(payment.send());
    expect(seen[0]).toMatchObject({ method: 'PATCH', key: payment.key });
    expect(seen[0]?.headers.get('content-type')).toBe('application/merge-patch+json');
    expect(seen[0]?.headers.get('authorization')).toBe('Bearer 1');
  });

  it('asks for headers afresh, so that a token may be renewed in between', async () => {
    let token = 0;
    const { client, play, seen } = world({
      headers: async () => {
        token += 1;
        return { authorization: `Bearer ${token}` };
      },
    });
    play(reset, paid);
    await finished((await client.open('checkout', PAYMENT)).send());
    expect(seen.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer 1', 'Bearer 2']);
  });

  it('is not made while there are no headers for it, and the intention stays unsent', async () => {
    const cause = new Error('signed out');
    const { client, seen } = world({ headers: () => Promise.reject(cause) });
    const payment = await client.open('checkout', PAYMENT);
    expect(await finished(payment.send())).toMatchObject({ kind: 'unknown', reason: 'deadline', cause });
    expect([seen.length, payment.state]).toEqual([0, 'unsent']);
  });

  it('follows no redirect, because the page behind it is no answer', async () => {
    const inits: RequestInit[] = [];
    const { client } = world({
      fetch: async (_url, init) => {
        inits.push(init);
        return new Response('{}');
      },
    });
    await finished((await client.open('checkout', PAYMENT)).send());
    expect(inits[0]?.redirect).toBe('error');
  });
});
