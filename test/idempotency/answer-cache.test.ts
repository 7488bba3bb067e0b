import { describe, expect, test } from 'vitest';
import { AnswerCache } from '../../lib/idempotency/answer-cache.ts';
import { begin } from '../../lib/idempotency/begin.ts';
import type { DoneClaim, ExecutingClaim } from '../../lib/idempotency/claim.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import { type EpochSeconds, epochMs } from '../../lib/idempotency/time.ts';
import { UngatedOperation } from '../../lib/idempotency/ungated-operation.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import { fakeEffect, performed } from '../support/fake-effect.ts';
import { bytesOf, COMMAND, codeOf, RETENTION_MS, type Scene, scene } from '../support/scene.ts';

const NOW = epochMs(1_800_000_000_000);
const EXPIRES_AT = (NOW / 1000 + 60) as EpochSeconds;
const FINGERPRINT = 'f1:x' as Fingerprint;

const done = (pk: string, bytes = 100, more: Partial<DoneClaim> = {}): DoneClaim => ({
  v: 1,
  pk,
  operation: `op-${pk}`,
  owner: 'me',
  fingerprint: FINGERPRINT,
  scope: 'alice',
  createdAt: NOW,
  status: 'done',
  outcome: { result: 'answered' },
  response: { status: 201, headers: {}, body: new Uint8Array(bytes) },
  settledBy: 'owner',
  expiresAt: EXPIRES_AT,
  ...more,
});
const ask = (pk: string, more = {}) => ({ pk, fingerprint: FINGERPRINT, scope: 'alice', ...more });

describe('a cache of finished answers', () => {
  test('answers the same request of the same principal', () => {
    const cache = new AnswerCache(10_000);
    cache.keep(done('a'));
    expect(cache.find(ask('a'), NOW)).toMatchObject({ operation: 'op-a', response: { status: 201 } });
    expect(cache.find(ask('b'), NOW)).toBeUndefined();
  });

  // C18
  test.each([
    ['another request', { fingerprint: 'f1:y' as Fingerprint }],
    ['another principal', { scope: 'mallory' }],
  ])('does not answer %s, and still has the answer for its own', (_, other) => {
    const cache = new AnswerCache(10_000);
    cache.keep(done('a'));
    expect(cache.find(ask('a', other), NOW)).toBeUndefined();
    expect(cache.find(ask('a'), NOW)).toBeDefined();
  });

  // C18
  test('forgets an answer in the very second in which its key expires', () => {
    const cache = new AnswerCache(10_000);
    cache.keep(done('a'));
    expect(cache.find(ask('a'), epochMs(EXPIRES_AT * 1000 - 1))).toBeDefined();
    expect(cache.find(ask('a'), epochMs(EXPIRES_AT * 1000))).toBeUndefined();
    expect(cache.find(ask('a'), NOW)).toBeUndefined();
  });

  test('keeps nothing of a claim whose body is gone', () => {
    const cache = new AnswerCache(10_000);
    cache.keep(done('a', 0, { response: { status: 201, headers: {} } }));
    expect(cache.find(ask('a'), NOW)).toBeUndefined();
  });

  test('drops what was used longest ago when it is full', () => {
    const cache = new AnswerCache(6_200);
    for (const pk of ['a', 'b', 'c']) cache.keep(done(pk, 1_000));
    cache.find(ask('a'), NOW);
    cache.keep(done('d', 1_000));
    expect(['a', 'b', 'c', 'd'].filter((pk) => cache.find(ask(pk), NOW))).toEqual(['a', 'c', 'd']);
  });

  test('makes as much room as a large answer takes, and takes none that is larger than itself', () => {
    const cache = new AnswerCache(6_200);
    for (const pk of ['a', 'b', 'c']) cache.keep(done(pk, 1_000));
    cache.keep(done('huge', 6_200));
    expect(['a', 'b', 'c', 'huge'].filter((pk) => cache.find(ask(pk), NOW))).toEqual(['a', 'b', 'c']);
    cache.keep(done('large', 4_000));
    expect(['a', 'b', 'c', 'large'].filter((pk) => cache.find(ask(pk), NOW))).toEqual(['large']);
  });

  test('counts the headers, and an answer that is kept twice once', () => {
    const cache = new AnswerCache(6_200);
    const headers = { 'x-long': 'h'.repeat(3_000) };
    cache.keep(done('a', 0, { response: { status: 201, headers, body: new Uint8Array() } }));
    expect(cache.find(ask('a'), NOW)).toBeUndefined();
    for (let n = 0; n < 10; n++) cache.keep(done('b', 1_000));
    cache.keep(done('c', 1_000));
    cache.keep(done('d', 1_000));
    expect(['b', 'c', 'd'].filter((pk) => cache.find(ask(pk), NOW))).toEqual(['b', 'c', 'd']);
  });
});

describe('a protocol with a cache', () => {
  const cached = (s: Scene) => ({ ...s.protocol, cache: new AnswerCache(10_000) });
  const asking = (s: Scene, more = {}) => ({
    ...ask('pk'),
    budget: budgetOf(s.ambient, 10_000),
    mismatchStatus: 422,
    links: [],
    ...more,
  });

  async function completed(status: number) {
    const s = scene(fakeEffect({}));
    const protocol = cached(s);
    const begun = await begin(protocol, asking(s));
    if (begun.kind !== 'run') throw new Error(codeOf(begun));
    const operation = new UngatedOperation(protocol, begun.claim as ExecutingClaim, {
      keep: 'final',
      on5xx: 'release',
    });
    await operation.complete({ status, headers: { 'set-cookie': 's=1', etag: '"1"' }, body: Buffer.from('once') });
    return { s, protocol };
  }

  test('replays its own answer as it was stored, marked, without a call to the store', async () => {
    const { s, protocol } = await completed(201);
    const calls = s.store.calls.length;
    const begun = await begin(protocol, asking(s));
    expect([codeOf(begun), bytesOf(begun)]).toEqual(['201 replayed', 'once']);
    expect(begun).toMatchObject({ answer: { response: { headers: { etag: '"1"', 'idempotency-replayed': 'true' } } } });
    expect(begun).not.toMatchObject({ answer: { response: { headers: { 'set-cookie': 's=1' } } } });
    expect(s.store.calls).toHaveLength(calls);
    expect(s.kinds().at(-1)).toBe('replayed');
  });

  test('asks the store for every other request, which is refused there', async () => {
    const { s, protocol } = await completed(201);
    expect(codeOf(await begin(protocol, asking(s, { fingerprint: 'f1:y' })))).toBe('422 idempotency-key-reused');
    expect(codeOf(await begin(protocol, asking(s, { scope: 'mallory' })))).toBe('422 idempotency-key-reused');
  });

  test('runs again after the expiry', async () => {
    const { s, protocol } = await completed(201);
    s.ambient.advance(RETENTION_MS + 1_000);
    expect(codeOf(await begin(protocol, asking(s)))).toBe('run');
  });

  // C18
  test('keeps no answer that was not stored', async () => {
    const { s, protocol } = await completed(500);
    expect(codeOf(await begin(protocol, asking(s)))).toBe('run');
  });

  test('keeps an answer of an effect from its first replay on', async () => {
    const effect = fakeEffect({ perform: [performed] });
    const s = scene(effect);
    const first = await (await s.claim()).perform(COMMAND);
    const protocol = cached(s);
    const request = asking(s, { fingerprint: 'f1:first', scope: 'scope', effect });
    await begin(protocol, request);
    s.store.isDown = true;
    const begun = await begin(protocol, request);
    expect([codeOf(begun), bytesOf(begun)]).toEqual(['201 replayed', bytesOf(first)]);
  });
});
