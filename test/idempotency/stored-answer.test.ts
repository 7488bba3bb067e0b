import { describe, expect, test } from 'vitest';
import type { DoneClaim, ExecutingClaim, KeptResponse } from '../../lib/idempotency/claim.ts';
import { type Settling, settle } from '../../lib/idempotency/settlement.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import { UngatedOperation } from '../../lib/idempotency/ungated-operation.ts';
import { answerOf, fakeEffect, PERFORMED, performed, unknown } from '../support/fake-effect.ts';
import { bytesOf, COMMAND, codeOf, LEASE_MS, type Scene, scene } from '../support/scene.ts';

const GONE: KeptResponse = { status: 201, headers: { location: '/things/1' } };
const withoutBody = <T>(of: T): T => {
  const found = of as { readonly status?: unknown };
  return found?.status === 'done' ? ({ ...found, response: GONE } as T) : of;
};

/** From now on the store has every claim and no answer. */
function loseBodies(store: Store): void {
  const { read, write } = store;
  store.read = async (pk) => withoutBody(await read(pk));
  store.write = async (...args) => {
    const result = await write(...args);
    if (result.kind === 'refused') return { ...result, found: withoutBody(result.found) };
    return result.kind === 'already' ? { ...result, claim: withoutBody(result.claim) } : result;
  };
}
const reasons = (s: Scene) => s.events.flatMap((event) => (event.kind === 'store-error' ? [event.reason] : []));

describe('an answer whose bytes are gone', () => {
  // A24
  test('is rendered again from command and outcome, byte for byte', async () => {
    const s = scene(fakeEffect({ perform: [performed] }));
    const first = await (await s.claim()).perform(COMMAND);
    loseBodies(s.store);
    const again = await s.begin();
    expect([codeOf(again), bytesOf(again)]).toEqual(['201 replayed', bytesOf(first)]);
    expect(reasons(s)).toEqual([expect.stringMatching(/^The bytes of the answer of operation .* are gone\.$/)]);
  });

  // A24
  test('of a plain handler is said to be gone, with what is known of it, and nothing runs again', async () => {
    const s = scene(fakeEffect({}));
    await complete(s);
    loseBodies(s.store);
    const begun = await s.begin({ effect: undefined });
    expect(codeOf(begun)).toBe('410 response-gone');
    expect(begun).toMatchObject({
      answer: { problem: { type: { retry: 'no' }, extensions: { originalStatus: 201, location: '/things/1' } } },
    });
    expect((await s.done()).outcome).toEqual({ result: 'answered' });
    expect(s.kinds()).not.toContain('replayed');
  });

  test('of a handler that had no effect then is gone, although the route has one now', async () => {
    const s = scene(fakeEffect({}));
    await complete(s);
    loseBodies(s.store);
    expect(codeOf(await s.begin())).toBe('410 response-gone');
  });

  test('is not said to be gone to a request of another fingerprint', async () => {
    const s = scene(fakeEffect({}));
    await complete(s);
    loseBodies(s.store);
    expect(codeOf(await s.begin({ fingerprint: 'f1:other' as never }))).toBe('422 idempotency-key-reused');
  });

  test('is rendered by whoever settles the claim a second time, from the outcome that was stored', async () => {
    const s = scene(fakeEffect({ perform: [unknown] }));
    await (await s.claim()).perform(COMMAND);
    const claim = (await s.open()) as unknown as Settling; // It has passed its gate.
    const report = (result: 'performed' | 'not-performed') =>
      settle(s.protocol, fakeEffect({}), claim, { ...PERFORMED, result }, 'webhook');
    await report('performed');
    loseBodies(s.store);
    const { operation } = await s.done();
    const response = answerOf({ operation }, PERFORMED);
    expect(await report('performed')).toEqual({ kind: 'settled', outcome: PERFORMED, response });
    expect(await report('not-performed')).toEqual({ kind: 'settled', outcome: PERFORMED, response });
  });

  test('is rendered by an owner who finds at its gate that another has finished', async () => {
    const effect = fakeEffect({ perform: [performed] });
    const s = scene(effect);
    const sleeper = await s.claim();
    s.ambient.advance(LEASE_MS + 1);
    const first = await (await s.claim()).perform(COMMAND);
    loseBodies(s.store);
    s.ambient.advance(-LEASE_MS); // The sleeper's own time has not passed, as it believes.
    expect(bytesOf(await sleeper.perform(COMMAND))).toBe(bytesOf(first));
    expect(effect.performs()).toBe(1);
  });
});

async function complete(s: Scene, lose?: string) {
  const begun = await s.begin({ effect: undefined });
  if (begun.kind !== 'run') throw new Error(codeOf(begun));
  if (lose !== undefined) losing(s.store, lose);
  const operation = new UngatedOperation(s.protocol, begun.claim as ExecutingClaim, {
    keep: 'final',
    on5xx: 'release',
  });
  return operation.complete({ status: 201, headers: { location: '/things/1' }, body: Buffer.from('whole') });
}

function losing(store: Store, answerLost: string): void {
  const { write } = store;
  store.write = async (...args) => {
    const result = await write(...args);
    return result.kind === 'applied' ? { ...result, answerLost } : result;
  };
}

describe('an answer that could not be kept', () => {
  // A24, A25
  test('still leaves whole the first time, and is told of', async () => {
    const s = scene(fakeEffect({}));
    const first = await complete(s, 'throttled');
    expect([codeOf(first), bytesOf(first)]).toEqual(['201', 'whole']);
    expect(s.kinds()).toEqual(['claimed', 'settled', 'store-error']);
    expect(reasons(s)[0]).toMatch(/^The answer of operation .* was not kept: throttled$/);
  });

  test('of an effect leaves whole as well', async () => {
    const s = scene(fakeEffect({ perform: [performed] }));
    const operation = await s.claim();
    losing(s.store, 'throttled');
    expect(codeOf(await operation.perform(COMMAND))).toBe('201');
    expect(reasons(s)[0]).toMatch(/was not kept: throttled$/);
  });
});

test('a settled claim without any response is answered, not crashed on', async () => {
  const s = scene(fakeEffect({}));
  await complete(s);
  const { write } = s.store;
  s.store.write = async (...args) => {
    const result = await write(...args);
    return result.kind === 'refused'
      ? { ...result, found: { ...(result.found as DoneClaim), response: { headers: {} } } }
      : result;
  };
  const begun = await s.begin({ effect: undefined });
  expect(codeOf(begun)).toBe('410 response-gone');
});
