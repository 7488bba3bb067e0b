import { describe, expect, test } from 'vitest';
import type { Answer } from '../../lib/idempotency/answers.ts';
import type { Begun } from '../../lib/idempotency/begin.ts';
import { type Claim, SCHEMA_VERSION } from '../../lib/idempotency/claim.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import { fakeEffect, performed } from '../support/fake-effect.ts';
import { bytesOf, COMMAND, codeOf, INVOCATION_MS, LEASE_MS, RETENTION_MS, scene } from '../support/scene.ts';

const OTHER = { fingerprint: 'f1:other' as Fingerprint };
const UNGATED = { effect: undefined };
const problemOf = (begun: Begun) => {
  const { answer } = begun as { readonly answer: Extract<Answer, { kind: 'problem' }> };
  return answer.problem;
};

describe('a first request', () => {
  test('claims the key before its gate, with a lease of its own time and a margin', async () => {
    const s = scene(fakeEffect({}));
    const begun = await s.begin();
    expect(begun).toMatchObject({ kind: 'run', claim: { status: 'claimed', attempts: 0 } });
    const { leaseUntil, dueAt, createdAt } = await s.open();
    expect([leaseUntil - createdAt, dueAt]).toEqual([LEASE_MS, leaseUntil]);
    expect(s.kinds()).toEqual(['claimed']);
  });

  test('without an effect runs behind no gate', async () => {
    const s = scene(fakeEffect({}));
    expect(await s.begin(UNGATED)).toMatchObject({ kind: 'run', claim: { status: 'executing' } });
  });

  // A17
  test.each([
    ['no time', 0, {}],
    ['less than no time', -5, {}],
    ['too little time for an effect', 2_999, {}],
    ['too little time for a plain handler', 1_799, UNGATED],
  ])('with %s left is turned away before anything is claimed', async (_, remainingMs, part) => {
    const s = scene(fakeEffect({}));
    expect(codeOf(await s.begin({ ...part, budget: { remainingMs: () => remainingMs } }))).toBe('503 not-enough-time');
    expect(s.store.calls).toEqual([]);
    expect(s.kinds()).toEqual(['not-enough-time']);
  });

  test.each([
    ['an effect', 3_000, {}],
    ['a plain handler', 1_800, UNGATED],
  ])('with just enough time for %s runs', async (_, remainingMs, part) => {
    const s = scene(fakeEffect({}));
    expect(codeOf(await s.begin({ ...part, budget: { remainingMs: () => remainingMs } }))).toBe('run');
  });

  // A4
  test('does not run while the store is down', async () => {
    const s = scene(fakeEffect({}));
    s.store.isDown = true;
    expect(codeOf(await s.begin())).toBe('503 store-unavailable');
    expect(problemOf(await s.begin()).retryAfterSeconds).toBe(2);
    expect(s.kinds()).toContain('store-error');
  });

  // A3
  test.each([
    ['with an effect', {}],
    ['of a plain handler', UNGATED],
  ])('%s whose claim landed without a reply frees the key, for it will not run', async (_, part) => {
    const s = scene(fakeEffect({}));
    s.store.fail('claim', 'lost');
    expect(codeOf(await s.begin(part))).toBe('503 store-unavailable');
    expect(await s.item()).toBeUndefined();
    expect(codeOf(await s.begin(part))).toBe('run');
  });

  // A3
  test('whose claim landed and could not be freed is taken over as soon as its lease has ended', async () => {
    const s = scene(fakeEffect({}));
    s.store.fail('claim', 'lost');
    s.store.fail('release');
    expect(codeOf(await s.begin())).toBe('503 store-unavailable');
    expect(codeOf(await s.begin())).toBe('409 idempotency-key-in-progress');
    s.ambient.advance(LEASE_MS + 1);
    expect(codeOf(await s.begin())).toBe('run');
  });

  test('answers without a second write when its time is short', async () => {
    const s = scene(fakeEffect({}));
    s.store.fail('claim', 'lost');
    expect(codeOf(await s.begin({ budget: { remainingMs: () => 3_000 } }))).toBe('503 store-unavailable');
    expect(s.store.calls).toEqual(['claim']);
  });

  test('lets a fault of the program through', async () => {
    const s = scene(fakeEffect({}));
    s.store.write = () => Promise.reject(new TypeError('a bug'));
    await expect(s.begin()).rejects.toThrow(TypeError);
  });

  test('does not take a refusal by domain records that it did not write for an answer', async () => {
    const s = scene(fakeEffect({}));
    s.store.write = async () => ({ kind: 'blocked', by: [] });
    expect(codeOf(await s.begin())).toBe('503 store-unavailable');
  });
});

describe('a request that meets a running one', () => {
  test('is told to come back when the lease ends, and where to ask meanwhile', async () => {
    const s = scene(fakeEffect({}));
    await s.begin();
    s.ambient.advance(1_000);
    const begun = await s.begin({ links: ['</keys/k>; rel="status"'] });
    expect(codeOf(begun)).toBe('409 idempotency-key-in-progress');
    expect(problemOf(begun)).toMatchObject({ retryAfterSeconds: 14, links: ['</keys/k>; rel="status"'] });
    expect(s.kinds()).toEqual(['claimed', 'in-progress']);
  });

  // A15
  test('and asks for something else is told so, not to wait', async () => {
    const s = scene(fakeEffect({}));
    await s.begin();
    expect(codeOf(await s.begin(OTHER))).toBe('422 idempotency-key-reused');
    expect(codeOf(await s.begin({ ...OTHER, mismatchStatus: 409 }))).toBe('409 idempotency-key-reused');
    expect(s.kinds()).toContain('mismatch');
  });

  // A5
  test('leaves its claim alone', async () => {
    const s = scene(fakeEffect({}));
    await s.begin();
    const before = await s.item();
    await s.begin();
    await s.begin(OTHER);
    expect(await s.item()).toEqual(before);
  });
});

describe('a settled key', () => {
  async function settledScene() {
    const s = scene(fakeEffect({ perform: [performed] }));
    const first = await (await s.claim()).perform(COMMAND);
    return { s, first };
  }

  // E1, E7
  test('replays the first answer, byte for byte and marked', async () => {
    const { s, first } = await settledScene();
    const again = await s.begin();
    expect(codeOf(again)).toBe('201 replayed');
    expect(bytesOf(again)).toBe(bytesOf(first));
    expect(s.kinds()).toContain('replayed');
  });

  // B5
  test('refuses another request', async () => {
    const { s } = await settledScene();
    expect(codeOf(await s.begin(OTHER))).toBe('422 idempotency-key-reused');
  });

  // C17
  test('that lost its fingerprint matches nothing', async () => {
    const { s } = await settledScene();
    const { fingerprint: _, ...rest } = await s.done();
    s.store.write = async () => ({ kind: 'refused', found: rest as Claim });
    expect(codeOf(await s.begin())).toBe('422 idempotency-key-reused');
  });

  // C19
  test('of another principal is not replayed, should the addresses ever meet', async () => {
    const { s } = await settledScene();
    expect(codeOf(await s.begin({ scope: 'other' }))).toBe('422 idempotency-key-reused');
  });

  // A20
  test.each([
    ['the same request', {}],
    ['another request', OTHER],
  ])('is free for %s once it has expired, although its item is still there', async (_, part) => {
    const { s } = await settledScene();
    const { operation } = await s.done();
    s.ambient.advance(RETENTION_MS + 1_000);
    expect(codeOf(await s.begin(part))).toBe('run');
    expect((await s.open()).operation).not.toBe(operation);
  });

  test('that expires while it is being read is claimed in the next round', async () => {
    const { s } = await settledScene();
    s.ambient.advance(RETENTION_MS - 1);
    const pause = s.store.pause('claim');
    const begun = s.begin();
    await pause.reached;
    s.ambient.advance(2);
    pause.goOn();
    expect(codeOf(await begun)).toBe('run');
  });

  // A18
  test('carries an expiry in whole seconds, rounded up, and an open one carries none', async () => {
    const { s } = await settledScene();
    const { expiresAt } = await s.done();
    expect(expiresAt).toBe(Math.ceil((s.ambient.now() + RETENTION_MS) / 1000));
    s.ambient.advance(RETENTION_MS + 1_000);
    await s.begin();
    expect(await s.item()).not.toHaveProperty('expiresAt');
  });
});

describe('an item of newer code', () => {
  test('is answered as a store that cannot be used, and left alone', async () => {
    const s = scene(fakeEffect({}));
    s.store.write = async () => ({ kind: 'refused', found: { status: 'newer', v: SCHEMA_VERSION + 1, pk: 'pk' } });
    expect(codeOf(await s.begin())).toBe('503 store-unavailable');
    expect(s.events).toContainEqual({ kind: 'store-error', reason: expect.stringContaining('schema version 2') });
  });
});

test('the time of an invocation is its own', async () => {
  const s = scene(fakeEffect({}));
  await s.begin({ budget: budgetOf(s.ambient, INVOCATION_MS * 2) });
  expect((await s.open()).leaseUntil - s.ambient.now()).toBe(INVOCATION_MS * 2 + 5_000);
});
