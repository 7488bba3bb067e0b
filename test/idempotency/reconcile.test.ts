import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../lib/idempotency/effect.ts';
import {
  absent,
  closed,
  declined,
  type FakeEffect,
  fakeEffect,
  foreign,
  KEY_RETENTION_MS,
  performed,
  unknown,
  usedUp,
} from '../support/fake-effect.ts';
import { COMMAND, codeOf, GRACE_MS, LEASE_MS, type Scene, scene } from '../support/scene.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Scripts = Parameters<typeof fakeEffect>[0];

/** A key whose owner called the provider and handed it off. */
async function inDoubt(scripts: Scripts): Promise<{ s: Scene; effect: FakeEffect }> {
  const effect = fakeEffect({ perform: [unknown], ...scripts });
  const s = scene(effect);
  await (await s.claim()).perform(COMMAND);
  return { s, effect };
}

/** Runs a minute apart, as the schedule does, for as long as told. */
async function runsFor(s: Scene, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += MINUTE_MS) {
    await s.reconcile();
    s.ambient.advance(MINUTE_MS);
  }
}

describe('a run', () => {
  test('over nothing does nothing', async () => {
    const report = await scene(fakeEffect({})).reconcile();
    expect(report).toMatchObject({ examined: 0, released: 0, waiting: 0, quarantined: 0, errors: 0, oldestOpenMs: 0 });
    expect(report.outOfTime).toBe(false);
  });

  test('whose index fails for one shard sweeps the others, and counts the failure', async () => {
    const { s } = await inDoubt({ lookup: [performed] });
    s.ambient.advance(LEASE_MS);
    s.store.fail('due', 'failed');
    const report = await s.reconcile();
    expect(report.errors).toBe(1);
    expect([report.settled.performed, (await s.reconcile()).settled.performed]).toContain(1);
  });

  // A13, G9
  test('leaves a live owner alone, before its gate and behind it', async () => {
    const effect = fakeEffect({
      perform: [
        async () => {
          expect(await s.reconcile()).toMatchObject({ examined: 0 });
          return performed;
        },
      ],
    });
    const s = scene(effect);
    const operation = await s.claim();
    expect(await s.reconcile()).toMatchObject({ examined: 0 });
    expect(codeOf(await operation.perform(COMMAND))).toBe('201');
  });

  test('frees a key whose owner died before the gate', async () => {
    const s = scene(fakeEffect({}));
    await s.begin();
    s.ambient.advance(LEASE_MS + 1);
    expect(await s.reconcile()).toMatchObject({ examined: 1, released: 1, waiting: 0 });
    expect(await s.item()).toBeUndefined();
    expect(s.kinds()).toEqual(['claimed', 'released']);
  });

  // G11
  test.each<[string, Evidence, string, string]>([
    ['performed', performed, 'performed', '201 replayed'],
    ['declined', declined, 'declined', '402 replayed'],
  ])('settles what the provider has %s, and the next retry gets a whole answer', async (_, evidence, result, code) => {
    const { s, effect } = await inDoubt({ lookup: [evidence] });
    expect((await s.reconcile()).settled).toMatchObject({ [result]: 1 });
    expect(await s.done()).toMatchObject({ settledBy: 'reconciler' });
    expect(codeOf(await s.begin())).toBe(code);
    expect(effect.performs()).toBe(1);
  });

  test('finds an owner that died behind the gate, once its lease has ended', async () => {
    const effect = fakeEffect({ perform: [() => new Promise<Evidence>(() => {})], lookup: [performed] });
    const s = scene(effect);
    void (await s.claim()).perform(COMMAND);
    await expect.poll(() => effect.calls.length).toBe(1);
    expect(await s.reconcile()).toMatchObject({ examined: 0 });
    s.ambient.advance(LEASE_MS);
    expect((await s.reconcile()).settled.performed).toBe(1);
  });
});

describe('an effect that is not found', () => {
  // G1
  test('may still appear: it is only looked up until the grace period has ended', async () => {
    const { s, effect } = await inDoubt({ lookup: [absent, absent, performed], close: [closed] });
    await runsFor(s, GRACE_MS);
    expect(effect.calls.map(({ method }) => method)).toEqual(['perform', 'lookup', 'lookup', 'lookup']);
    expect(await s.done()).toMatchObject({ outcome: { result: 'performed' } });
  });

  // G7
  test('after the grace period is settled as not performed once the door is closed', async () => {
    const lookup = Array.from({ length: 20 }, () => absent);
    const { s, effect } = await inDoubt({ lookup, close: [closed] });
    await s.reconcile();
    s.ambient.advance(GRACE_MS - 1);
    expect(await s.reconcile()).toMatchObject({ waiting: 1, oldestOpenMs: GRACE_MS - 1 });
    s.ambient.advance(GRACE_MS);
    expect((await s.reconcile()).settled['not-performed']).toBe(1);
    expect(effect.calls.at(-1)?.call.key).toBe(effect.calls[0]?.call.key);
    expect(codeOf(await s.begin())).toBe('402 replayed');
    expect(await s.order()).toMatchObject({ result: 'not-performed' });
  });

  test('stays open while the door does not close', async () => {
    const { s } = await inDoubt({ lookup: [absent], close: [unknown] });
    s.ambient.advance(GRACE_MS);
    expect(await s.reconcile()).toMatchObject({ waiting: 1 });
    expect((await s.open()).status).toBe('unknown');
  });

  test('is quarantined where no door can be closed', async () => {
    const { s } = await inDoubt({ lookup: [absent] });
    s.ambient.advance(GRACE_MS);
    expect(await s.reconcile()).toMatchObject({ quarantined: 1 });
    expect((await s.open()).quarantine).toBe('not found, and the provider cannot close the door');
  });

  // A21, F9
  test('when the provider has forgotten the key is quarantined without another call, and found if it appears', async () => {
    const { s, effect } = await inDoubt({ lookup: [absent, performed], close: [closed] });
    s.ambient.advance(KEY_RETENTION_MS + HOUR_MS);
    expect(await s.reconcile()).toMatchObject({ quarantined: 1 });
    expect(effect.calls.map(({ method }) => method)).toEqual(['perform', 'lookup']);
    expect(codeOf(await s.begin())).toBe('409 under-review');
    s.ambient.advance(6 * HOUR_MS);
    expect((await s.reconcile()).settled.performed).toBe(1);
    expect(codeOf(await s.begin())).toBe('201 replayed');
  });
});

describe('a provider that does not answer', () => {
  // G2
  test('changes nothing: the looks get rarer, and nothing is quarantined for a day', async () => {
    const { s, effect } = await inDoubt({});
    await runsFor(s, 20 * HOUR_MS);
    expect((await s.open()).quarantine).toBeUndefined();
    expect(effect.calls.length).toBeGreaterThan(20);
    expect(effect.calls.length).toBeLessThan(100);
    expect(s.kinds()).not.toContain('quarantined');
  });

  test('in the end leaves the claim to an operator, with one alarm and the reason', async () => {
    const { s } = await inDoubt({});
    await runsFor(s, 72 * HOUR_MS);
    expect((await s.open()).quarantine).toBe('the call timed out, after 100 looks');
    expect(s.kinds().filter((kind) => kind === 'quarantined')).toHaveLength(1);
  });
});

describe('what no machine can settle', () => {
  test('a key that is used up is quarantined within the hour, not within minutes', async () => {
    const { s } = await inDoubt({ lookup: Array.from({ length: 50 }, () => usedUp) });
    await runsFor(s, 10 * MINUTE_MS);
    expect((await s.open()).quarantine).toBeUndefined();
    await runsFor(s, HOUR_MS);
    expect((await s.open()).quarantine).toBe('a 500 is stored under the key, after 7 looks');
  });

  // F1
  test('an effect of another order is quarantined at once', async () => {
    const { s } = await inDoubt({ lookup: [foreign] });
    expect(await s.reconcile()).toMatchObject({ quarantined: 1, oldestOpenMs: 0 });
  });

  test('a plain handler that died is quarantined at the first look', async () => {
    const s = scene(fakeEffect({}));
    await s.begin({ effect: undefined });
    s.ambient.advance(LEASE_MS + 1);
    expect(await s.reconcile()).toMatchObject({ quarantined: 1, oldestOpenMs: LEASE_MS + 1 });
    expect(s.events).toContainEqual({
      kind: 'quarantined',
      operation: expect.any(String),
      reason: 'the handler died and nothing can look its effect up',
    });
    s.ambient.advance(6 * HOUR_MS);
    expect(await s.reconcile()).toMatchObject({ quarantined: 0, waiting: 1 });
  });

  test('a claim whose settlement fails every time is quarantined too, and counts as an error and as open until then', async () => {
    const answer = () => {
      throw new TypeError('cannot render it');
    };
    const effect = fakeEffect({ perform: [unknown], lookup: Array.from({ length: 200 }, () => performed) }, { answer });
    const s = scene(effect);
    await (await s.claim()).perform(COMMAND);
    s.ambient.advance(1_000);
    expect(await s.reconcile()).toMatchObject({ errors: 1, waiting: 1, oldestOpenMs: 1_000 });
    await runsFor(s, 72 * HOUR_MS);
    expect((await s.open()).quarantine).toBe('TypeError: cannot render it, after 100 looks');
  });
});
