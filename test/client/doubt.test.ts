import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finished, json, keysOf, PAYMENT, paid, problem, reset, START, summary, type Turn, world } from './world.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const bare = (status: number, headers: Record<string, string> = {}): Turn => json(status, { message: 'x' }, headers);
const replayed = { 'idempotency-replayed': 'true' };

describe('a caller who is not let in', () => {
  it.each([401, 403, 407])(
    'with %i gets that answer, and goes on with the same key once they are known',
    async (status) => {
      const { client, play, seen } = world();
      play(bare(status), paid);
      const payment = await client.open('checkout', PAYMENT);
      expect(await summary(payment.send())).toEqual({ kind: 'answered', status });
      expect(payment.state).toBe('sent');
      expect(await summary(payment.send())).toEqual({ kind: 'answered', status: 201 });
      expect(keysOf(seen)).toEqual([payment.key]);
    },
  );

  it.each([401, 403, 404, 405, 407])('with %i after a lost attempt does not know what became of it', async (status) => {
    const { client, play } = world();
    play(reset, bare(status));
    const payment = await client.open('checkout', PAYMENT);
    const result = await finished(payment.send());
    expect(result).toMatchObject({ kind: 'unknown', reason: 'refused', response: { status } });
    expect(payment.state).toBe('sent');
  });

  it('does not know either after a reload, and learns it from a replay', async () => {
    const { client, play, tab } = world();
    play(reset);
    await finished((await client.open('checkout', PAYMENT)).send());
    const reloaded = await tab().open('checkout', PAYMENT);
    play(bare(403), bare(403, replayed));
    expect(await summary(reloaded.send())).toEqual({ kind: 'unknown', reason: 'refused' });
    expect(await summary(reloaded.send())).toEqual({ kind: 'answered', status: 403 });
    expect(reloaded.state).toBe('settled');
  });
});

describe('an operation under review', () => {
  it('is unknown at once, and is answered when an operator has looked', async () => {
    const { client, play, seen } = world();
    play(problem(409, 'no', {}, 'under-review'), paid);
    const payment = await client.open('checkout', PAYMENT);
    const result = await finished(payment.send());
    expect(result).toMatchObject({ kind: 'unknown', reason: 'under-review', response: { status: 409 } });
    expect([seen.length, payment.state]).toEqual([1, 'sent']);
    if (result.kind === 'unknown') expect(await summary(result.resume())).toEqual({ kind: 'answered', status: 201 });
  });
});
