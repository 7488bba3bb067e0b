import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, toResponse } from '../../lib/client/answer.ts';
import { waitMs } from '../../lib/client/wait.ts';
import { finished, json, PAYMENT, paid, problem, START, world } from './world.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const answer = (headers: Record<string, string>): Answer => ({
  status: 503,
  headers: Object.entries(headers),
  body: '',
});
const asked = (retryAfter: string, more: Record<string, string> = {}): number =>
  waitMs(0, answer({ 'retry-after': retryAfter, ...more }), START, 0);
const httpDate = (ms: number): string => new Date(ms).toUTCString();

describe('the wait before a retry', () => {
  it('is drawn from all of a range that doubles up to ten seconds', () => {
    const ceilings = [0, 1, 2, 3, 4, 5, 100].map((retry) => waitMs(retry, undefined, START, 1));
    expect(ceilings).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    expect(waitMs(3, undefined, START, 0)).toBe(0);
    expect(waitMs(3, undefined, START, 0.25)).toBe(1000);
  });

  it('is at least what the server asked for, in seconds or as a date, and jittered on top', () => {
    expect(asked('7')).toBe(7000);
    expect(asked(' 7 ')).toBe(7000);
    expect(asked(httpDate(START + 9000))).toBe(9000);
    expect(waitMs(1, answer({ 'retry-after': '7' }), START, 0.5)).toBe(7500);
  });

  it('measures a date against the server’s own clock where that can be seen', () => {
    const skewMs = 3_600_000;
    const date = httpDate(START + skewMs);
    expect(asked(httpDate(START + skewMs + 4000), { date })).toBe(4000);
    expect(asked(httpDate(START + 4000), { date: 'yesterday' })).toBe(4000);
  });

  it.each([
    '',
    '-5',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    'Infinity',
    '7 s',
    'Xyz, 99 Foo 2026 99:99:99 GMT',
    '2026-01-01T00:00:09Z',
  ])('ignores a Retry-After that cannot be meant: %j', (value) => {
    expect(asked(value)).toBe(0);
  });

  it('ignores a moment that has passed, and caps an absurd one at a minute', () => {
    expect(asked(httpDate(START - 9000))).toBe(0);
    expect(asked('86400')).toBe(60_000);
    expect(asked('9'.repeat(400))).toBe(60_000);
    expect(asked(httpDate(START + 86_400_000))).toBe(60_000);
  });

  it('is kept between attempts', async () => {
    const { client, play, seen } = world();
    play(problem(409, 'same-key', { 'retry-after': '3' }), problem(409, 'same-key'), paid);
    await finished((await client.open('checkout', PAYMENT)).send());
    expect(seen.map(({ at }) => at - START)).toEqual([0, 3250, 3750]);
  });

  it('that would outlast the deadline is not begun', async () => {
    const { client, play } = world({ deadlineMs: 30_000 });
    play(json(503, {}, { 'retry-after': '45' }));
    const result = await finished((await client.open('checkout', PAYMENT)).send());
    expect(result).toMatchObject({ kind: 'unknown', reason: 'deadline', response: { status: 503 } });
    expect(Date.now()).toBe(START);
  });
});

describe('an answer that is kept', () => {
  it('can be made into a response each time, also without a body', async () => {
    const kept: Answer = { status: 204, headers: [['x-trace', '1']], body: '' };
    expect(toResponse(kept)).not.toBe(toResponse(kept));
    expect([toResponse(kept).status, toResponse(kept).headers.get('x-trace')]).toEqual([204, '1']);
  });
});
