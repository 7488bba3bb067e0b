import { describe, expect, test } from 'vitest';
import type { AnswerPolicy, On5xx } from '../../lib/idempotency/answer-policy.ts';
import type { ExecutingClaim, StoredResponse } from '../../lib/idempotency/claim.ts';
import { UngatedOperation } from '../../lib/idempotency/ungated-operation.ts';
import { fakeEffect } from '../support/fake-effect.ts';
import { bytesOf, codeOf, RETENTION_MS, type Scene, scene } from '../support/scene.ts';

const answerOf = (status: number, body = 'done'): StoredResponse => ({
  status,
  headers: { 'content-type': 'text/plain', 'set-cookie': 'session=1' },
  body: Buffer.from(body),
});

async function start(policy: Partial<AnswerPolicy> = {}) {
  const s = scene(fakeEffect({}));
  const operation = await claimIn(s, policy);
  return { s, operation };
}

async function claimIn(s: Scene, policy: Partial<AnswerPolicy> = {}) {
  const begun = await s.begin({ effect: undefined });
  if (begun.kind !== 'run') throw new Error(codeOf(begun));
  return new UngatedOperation(s.protocol, begun.claim as ExecutingClaim, {
    keep: 'final',
    on5xx: 'release',
    ...policy,
  });
}

const retry = (s: Scene) => s.begin({ effect: undefined });

describe("a plain handler's answer", () => {
  // B4, B6, E1
  test.each([200, 201, 204, 302, 400, 402, 404, 409, 422])(
    'of %i is final: it is stored and replayed',
    async (status) => {
      const { s, operation } = await start();
      expect(codeOf(await operation.complete(answerOf(status)))).toBe(String(status));
      const again = await retry(s);
      expect([codeOf(again), bytesOf(again)]).toEqual([`${status} replayed`, 'done']);
      expect(await s.done()).toMatchObject({ outcome: { result: 'answered' }, settledBy: 'owner' });
      expect(s.kinds()).toEqual(['claimed', 'settled', 'replayed']);
    },
  );

  // E2
  test('leaves with all its headers and is stored with the listed ones', async () => {
    const { s, operation } = await start();
    expect(await operation.complete(answerOf(201))).toMatchObject({
      response: { headers: { 'set-cookie': 'session=1' } },
    });
    expect((await s.done()).response.headers).toEqual({ 'content-type': 'text/plain' });
  });

  // B2, B4
  test.each([429, 500, 503, 504])('of %i is not final: the key is free at once', async (status) => {
    const { s, operation } = await start();
    expect(codeOf(await operation.complete(answerOf(status)))).toBe(String(status));
    expect(await s.item()).toBeUndefined();
    expect(s.kinds()).toEqual(['claimed', 'released']);
  });

  test.each([
    [429, 'run'],
    [500, '500 replayed'],
    [503, '503 replayed'],
  ])('of %i, where failures are kept, is answered next with %s', async (status, next) => {
    const { s, operation } = await start({ on5xx: 'store' });
    await operation.complete(answerOf(status));
    expect(codeOf(await retry(s))).toBe(next);
  });

  test.each([
    ['everything', 429, '429 replayed'],
    ['everything', 503, '503 replayed'],
    ['success', 201, '201 replayed'],
    ['success', 302, 'run'],
    ['success', 404, 'run'],
    ['success', 500, 'run'],
  ] as const)('where %s is kept, after %i is answered next with %s', async (keep, status, next) => {
    const { s, operation } = await start({ keep, on5xx: keep === 'everything' ? 'store' : 'release' });
    expect(codeOf(await operation.complete(answerOf(status)))).toBe(String(status));
    expect(codeOf(await retry(s))).toBe(next);
  });

  // A11
  test('of 408 is a handler that still runs, even where everything is kept', async () => {
    const { s, operation } = await start({ keep: 'everything', on5xx: 'store' });
    expect(codeOf(await operation.complete(answerOf(408)))).toBe('503 outcome-pending');
    expect((await s.open()).status).toBe('executing');
  });

  // A11
  test.each<On5xx>(['release', 'store'])(
    'of 408 is a handler that still runs: neither stored nor freed (%s)',
    async (on5xx) => {
      const { s, operation } = await start({ on5xx });
      expect(codeOf(await operation.complete(answerOf(408)))).toBe('503 outcome-pending');
      expect((await s.open()).status).toBe('executing');
    },
  );
});

describe('a store that fails when the handler has run', () => {
  // A2, A25, B1
  test.each([
    ['before the write', 'failed', '409 idempotency-key-in-progress'],
    ['behind the write', 'lost', '201 replayed'],
  ] as const)('%s leaves the key claimed: the handler does not run again', async (_, kind, next) => {
    const { s, operation } = await start();
    s.store.fail('settle', kind);
    expect(codeOf(await operation.complete(answerOf(201)))).toBe('503 outcome-pending');
    expect(codeOf(await retry(s))).toBe(next);
    expect(s.kinds()).toContain('store-error');
  });

  test('and whose write turns out to have landed, is no failure', async () => {
    const { s, operation } = await start();
    const { write } = s.store;
    s.store.write = async (...args) => {
      await write(...args);
      return write(...args);
    };
    expect(codeOf(await operation.complete(answerOf(201)))).toBe('201');
    expect(codeOf(await retry(s))).toBe('201 replayed');
  });

  test('leaves a key that could not be freed claimed', async () => {
    const { s, operation } = await start();
    s.store.fail('release-ungated');
    expect(codeOf(await operation.complete(answerOf(500)))).toBe('500');
    expect(codeOf(await retry(s))).toBe('409 idempotency-key-in-progress');
  });
});

describe('a handler that outlived its claim', () => {
  // A12
  test('answers nothing of its own and raises an alarm', async () => {
    const { s, operation } = await start();
    await operation.release();
    const successor = await claimIn(s);
    await successor.complete(answerOf(201, 'successor'));
    expect(codeOf(await operation.complete(answerOf(201, 'sleeper')))).toBe('503 outcome-pending');
    expect(bytesOf(await retry(s))).toBe('successor');
    expect(s.kinds()).toContain('anomaly');
  });

  test('cannot free the claim of its successor', async () => {
    const { s, operation } = await start();
    await operation.release();
    await claimIn(s);
    await operation.release();
    expect((await s.open()).status).toBe('executing');
    expect(s.kinds()).toEqual(['claimed', 'released', 'claimed']);
  });

  test('settles a claim that was quarantined meanwhile', async () => {
    const { s, operation } = await start();
    s.ambient.advance(60_000);
    await s.reconcile();
    expect(codeOf(await operation.complete(answerOf(201)))).toBe('201');
    expect(codeOf(await retry(s))).toBe('201 replayed');
  });
});

test('a settled answer is remembered for the retention, from the moment it became final', async () => {
  const { s, operation } = await start();
  s.ambient.advance(5_000);
  await operation.complete(answerOf(201));
  s.ambient.advance(RETENTION_MS - 1);
  expect(codeOf(await retry(s))).toBe('201 replayed');
  s.ambient.advance(1_001);
  expect(codeOf(await retry(s))).toBe('run');
});
