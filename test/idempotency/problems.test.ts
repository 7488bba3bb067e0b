import { describe, expect, test } from 'vitest';
import * as answers from '../../lib/idempotency/answers.ts';
import { PROBLEMS, type Problem, problemResponse } from '../../lib/idempotency/problems.ts';

const CONTEXT = { docsBase: 'https://docs.example.com', instance: '/payments#1' };
const render = (problem: Problem) => {
  const { status, headers, body } = problemResponse(problem, CONTEXT);
  return { status, headers, json: JSON.parse(Buffer.from(body).toString()) };
};

describe('a problem', () => {
  test('names its documentation, itself and what the client may do', () => {
    const { status, headers, json } = render(answers.mismatch(422));
    expect(status).toBe(422);
    expect(headers).toEqual({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      link: '<https://docs.example.com/problems/idempotency-key-reused>; rel="describedby"',
    });
    expect(json).toMatchObject({
      type: 'https://docs.example.com/problems/idempotency-key-reused',
      title: PROBLEMS.keyReused.title,
      status: 422,
      instance: '/payments#1',
      code: 'idempotency-key-reused',
      retry: 'new-key',
    });
  });

  test('carries its further links and extension members', () => {
    const { headers, json } = render({
      type: PROBLEMS.underReview,
      detail: 'x',
      links: ['</keys/k>; rel="status"'],
      extensions: { errors: [1] },
    });
    expect(headers['link']).toMatch(/rel="describedby", <\/keys\/k>; rel="status"$/);
    expect(json.errors).toEqual([1]);
  });

  test('is the same bytes for the same arguments', () => {
    expect(problemResponse(answers.notEnoughTime(), CONTEXT)).toEqual(
      problemResponse(answers.notEnoughTime(), CONTEXT),
    );
  });
});

describe('the answers that ask a client to wait', () => {
  test.each<[string, Problem, number, string, string, string | undefined]>([
    ['a running first request', answers.inProgress(2_001, []), 409, 'idempotency-key-in-progress', 'same-key', '3'],
    ['a lease that ends now', answers.inProgress(0, []), 409, 'idempotency-key-in-progress', 'same-key', '1'],
    ["somebody's open outcome", answers.outcomePending('other'), 409, 'outcome-pending', 'same-key', '1'],
    ["the caller's own open outcome", answers.outcomePending('own'), 503, 'outcome-pending', 'same-key', '1'],
    ['a review', answers.underReview([]), 409, 'under-review', 'no', undefined],
    ['a store that is down', answers.storeUnavailable(), 503, 'store-unavailable', 'same-key', '2'],
    ['too little time', answers.notEnoughTime(), 503, 'not-enough-time', 'same-key', '1'],
  ])('tell %s apart by status, code, retry and Retry-After', (_, problem, status, code, retry, retryAfter) => {
    const { status: found, headers, json } = render(problem);
    expect([found, json.code, json.retry, headers['retry-after']]).toEqual([status, code, retry, retryAfter]);
    expect(json.status).toBe(status);
  });
});
