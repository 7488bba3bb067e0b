import { describe, expect, test } from 'vitest';
import { type AnswerPolicy, isKept } from '../../lib/idempotency/answer-policy.ts';
import { MisuseError } from '../../lib/idempotency/errors.ts';
import { type PolicyOptions, policiesOf, serviceable } from '../../lib/idempotency/policies.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('the policies of a route', () => {
  test('are complete without a word', () => {
    expect(policiesOf({})).toEqual({
      keep: 'final',
      on5xx: 'release',
      retentionMs: DAY_MS,
      mismatchStatus: 422,
      waitMs: 0,
      cacheBytes: 0,
    });
  });

  test.each<[PolicyOptions, Partial<AnswerPolicy>]>([
    [{ on5xx: 'store' }, { keep: 'final', on5xx: 'store' }],
    [{ keep: 'everything' }, { keep: 'everything', on5xx: 'store' }],
    [
      { keep: 'everything', on5xx: 'store' },
      { keep: 'everything', on5xx: 'store' },
    ],
    [{ keep: 'success' }, { keep: 'success', on5xx: 'release' }],
  ])('of %j follow from what was said', (options, expected) => {
    expect(policiesOf(options)).toMatchObject(expected);
  });

  test.each<[unknown, RegExp]>([
    [{ keep: 'everything', on5xx: 'release' }, /contradict each other. Leave one of them out/],
    [{ keep: 'success', on5xx: 'store' }, /contradict/],
    [{ keep: 'all' }, /keep must be one of final, everything, success; it is all/],
    [{ on5xx: 'keep' }, /on5xx must be one of release, store; it is keep/],
    [{ mismatchStatus: 404 }, /mismatchStatus must be one of 400, 409, 422; it is 404/],
    [{ retentionMs: 0 }, /retentionMs must be a number from 1 to 3888000000; it is 0/],
    [{ retentionMs: 45 * DAY_MS + 1 }, /retentionMs/],
    [{ retentionMs: Number.NaN }, /retentionMs/],
    [{ waitMs: -1 }, /waitMs/],
    [{ waitMs: 25_001 }, /waitMs must be a number from 0 to 25000/],
    [{ cacheBytes: -1 }, /cacheBytes/],
  ])('of %j are a misuse that names its cure', (options, message) => {
    expect(() => policiesOf(options as PolicyOptions)).toThrow(MisuseError);
    expect(() => policiesOf(options as PolicyOptions)).toThrow(message);
  });

  test.each([1, 2_000, MINUTE_MS, 45 * DAY_MS])('may remember keys for %i ms', (retentionMs) => {
    expect(policiesOf({ retentionMs }).retentionMs).toBe(retentionMs);
  });

  test('of a service remember keys for a minute to 45 days', () => {
    const options = { retentionMs: MINUTE_MS, more: 'of it' };
    expect(serviceable(options)).toBe(options);
    expect(serviceable({})).toEqual({});
    expect(serviceable({ retentionMs: 45 * DAY_MS })).toBeDefined();
    expect(() => serviceable({ retentionMs: MINUTE_MS - 1 })).toThrow(MisuseError);
    expect(() => serviceable({ retentionMs: 45 * DAY_MS + 1 })).toThrow(MisuseError);
  });
});

describe('an answer that is kept', () => {
  const STATUSES = [200, 201, 204, 302, 400, 404, 409, 422, 429, 500, 503];
  test.each<[AnswerPolicy['keep'], AnswerPolicy['on5xx'], readonly number[]]>([
    ['final', 'release', [200, 201, 204, 302, 400, 404, 409, 422]],
    ['final', 'store', [200, 201, 204, 302, 400, 404, 409, 422, 500, 503]],
    ['everything', 'store', STATUSES],
    ['success', 'release', [200, 201, 204]],
  ])('under %s with %s on failures is one of these', (keep, on5xx, kept) => {
    expect(STATUSES.filter((status) => isKept(status, { keep, on5xx }))).toEqual(kept);
  });
});
