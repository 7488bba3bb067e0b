import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../../lib/client/memory-storage.ts';
import { finished, hang, json, PAYMENT, paid, reset, START, summary, world } from './world.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the time-out of an attempt', () => {
  // J7
  it('is longer than the gateway’s 29 seconds unless told otherwise, and has room for two attempts', async () => {
    const { client, play, seen } = world();
    play(hang);
    const result = await finished((await client.open('checkout', PAYMENT)).send());
    expect(result).toMatchObject({ kind: 'unknown', reason: 'deadline', cause: expect.any(Error) });
    const [first = 0, second = 0] = seen.map(({ at }) => at);
    expect(second - first).toBeGreaterThan(30_000);
    expect(Date.now() - START).toBe(120_000);
  });

  it('covers the body, and a fetch that does not listen to its signal', async () => {
    const headersOnly = async () => new Response(new ReadableStream(), { status: 201 });
    const { client, play, seen } = world({ timeoutMs: 1000 });
    play(headersOnly, () => new Promise(() => {}), paid);
    expect(await summary((await client.open('checkout', PAYMENT)).send())).toEqual({ kind: 'answered', status: 201 });
    expect(seen.map(({ at }) => at - START)).toEqual([0, 1250, 2750]);
  });

  it('covers the headers that the caller fetches', async () => {
    const { client, seen } = world({ headers: () => new Promise(() => {}), timeoutMs: 1000, deadlineMs: 5000 });
    const result = await finished((await client.open('checkout', PAYMENT)).send());
    expect(result).toMatchObject({ kind: 'unknown', reason: 'deadline' });
    expect(seen).toHaveLength(0);
  });

  it('tells the fetch to stop, so that no socket stays open', async () => {
    const signals: AbortSignal[] = [];
    const { client } = world({
      timeoutMs: 1000,
      fetch: async (_url, { signal }) => {
        signals.push(signal as AbortSignal);
        return signals.length === 1 ? new Promise(() => {}) : new Response();
      },
    });
    await finished((await client.open('checkout', PAYMENT)).send());
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the deadline', () => {
  it('ends everything together, and can be set for one send', async () => {
    const { client, play } = world();
    play(hang);
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send({ deadlineMs: 4000 }))).toEqual({ kind: 'unknown', reason: 'deadline' });
    expect(Date.now() - START).toBe(4000);
    expect(await summary(payment.send({ deadlineMs: 0 }))).toEqual({ kind: 'unknown', reason: 'deadline' });
    expect(Date.now() - START).toBe(4000);
  });

  it('does not keep a client whose clock stands still at it for ever', async () => {
    const { client, seen } = world({ now: () => START, fetch: () => Promise.reject(new TypeError('fetch failed')) });
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send())).toEqual({ kind: 'unknown', reason: 'attempts' });
    expect(seen).toHaveLength(0);
  });
});

describe('a signal', () => {
  it('that is aborted before the first attempt lets nothing leave', async () => {
    const { client, seen } = world();
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send({ signal: AbortSignal.abort() }))).toEqual({
      kind: 'unknown',
      reason: 'aborted',
    });
    expect([seen.length, payment.state]).toEqual([0, 'unsent']);
  });

  it('ends an attempt, and what it sent stays unknown', async () => {
    const { client, play, seen } = world();
    play(hang, paid);
    const payment = await client.open('checkout', PAYMENT);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 700);
    const result = await finished(payment.send({ signal: controller.signal }));
    expect(result).toMatchObject({ kind: 'unknown', reason: 'aborted', key: payment.key });
    expect([seen.length, payment.state, Date.now() - START]).toEqual([1, 'sent', 700]);
    expect(vi.getTimerCount()).toBe(0);
    if (result.kind === 'unknown') expect(await summary(result.resume())).toEqual({ kind: 'answered', status: 201 });
  });

  it('ends a wait', async () => {
    const { client, play } = world();
    play(json(503, {}, { 'retry-after': '40' }));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 700);
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send({ signal: controller.signal }))).toEqual({ kind: 'unknown', reason: 'aborted' });
    expect(Date.now() - START).toBe(700);
  });

  it('that is aborted while headers are fetched lets nothing leave', async () => {
    const controller = new AbortController();
    const { client, play, seen } = world({
      headers: () => {
        controller.abort();
        return {};
      },
    });
    play(reset);
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send({ signal: controller.signal }))).toEqual({ kind: 'unknown', reason: 'aborted' });
    expect(seen).toHaveLength(0);
  });
});

describe('a signal that is aborted while the storage writes', () => {
  it('lets nothing leave either', async () => {
    const controller = new AbortController();
    const storage = memoryStorage();
    const { client, seen } = world({
      storage: {
        ...storage,
        replace: (...texts) => {
          controller.abort();
          return storage.replace(...texts);
        },
      },
    });
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send({ signal: controller.signal }))).toEqual({ kind: 'unknown', reason: 'aborted' });
    expect(seen).toHaveLength(0);
  });
});
