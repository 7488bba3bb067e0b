import { describe, expect, test } from 'vitest';
import type { Effect, Evidence } from '../../lib/idempotency/effect.ts';
import {
  absent,
  closed,
  declined,
  fakeEffect,
  foreign,
  KEY_RETENTION_MS,
  notExecuted,
  performed,
  refused,
  unknown,
  usedUp,
} from '../support/fake-effect.ts';
import { bytesOf, COMMAND, codeOf, LEASE_MS, scene } from '../support/scene.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** A key whose owner called the provider and never learned the outcome. */
async function inDoubt(scripts: Parameters<typeof fakeEffect>[0], overrides: Partial<Effect> = {}) {
  const effect = fakeEffect({ ...scripts, perform: [unknown, ...(scripts.perform ?? [])] }, overrides);
  const s = scene(effect);
  await (await s.claim()).perform(COMMAND);
  return { s, effect };
}

describe('a retry behind the gate', () => {
  // A13
  test('waits for the owner while its lease runs', async () => {
    const effect = fakeEffect({
      perform: [
        async () => {
          expect(codeOf(await s.begin())).toBe('409 idempotency-key-in-progress');
          return performed;
        },
      ],
    });
    const s = scene(effect);
    expect(codeOf(await (await s.claim()).perform(COMMAND))).toBe('201');
    expect(effect.calls).toHaveLength(1);
  });

  // B1, B3, G11
  test.each<[string, Evidence, string, string]>([
    ['that succeeded', performed, '201 replayed', 'performed'],
    ['that was declined', declined, '402 replayed', 'declined'],
  ])('finds the effect %s and answers with it', async (_, evidence, code, result) => {
    const { s, effect } = await inDoubt({ lookup: [evidence] });
    expect(codeOf(await s.begin())).toBe(code);
    expect(await s.done()).toMatchObject({ outcome: { result }, settledBy: 'retry' });
    expect(effect.performs()).toBe(1);
    expect(codeOf(await s.begin())).toBe(code);
  });

  // F4
  test('sends what was not found again, under the same key and with the same parameters', async () => {
    const { s, effect } = await inDoubt({ lookup: [absent], perform: [performed] });
    expect(codeOf(await s.begin())).toBe('201 replayed');
    const [first, , second] = effect.calls.map(({ call: { timeoutMs: _, ...call } }) => call);
    expect(effect.calls.map(({ method }) => method)).toEqual(['perform', 'lookup', 'perform']);
    expect(second).toEqual(first);
  });

  // A13, G2, F1
  test.each<[string, Evidence]>([
    ['a look-up that times out', unknown],
    ['a look-up that was not executed', notExecuted],
    ['a look-up that was refused', refused],
    ['a key that is used up', usedUp],
    ['an effect of another order', foreign],
  ])('learns nothing from %s', async (_, evidence) => {
    const { s, effect } = await inDoubt({ lookup: [evidence] });
    expect(codeOf(await s.begin())).toBe('409 outcome-pending');
    expect((await s.open()).status).toBe('unknown');
    expect(effect.performs()).toBe(1);
  });

  test.each<[string, Evidence]>([
    ['times out', unknown],
    ['was not executed', notExecuted],
    ['makes no sense', absent],
  ])('leaves the outcome open when the second call %s', async (_, evidence) => {
    const { s } = await inDoubt({ lookup: [absent], perform: [evidence] });
    expect(codeOf(await s.begin())).toBe('409 outcome-pending');
  });

  test('closes the door on an effect that is refused in validation now', async () => {
    const { s } = await inDoubt({ lookup: [absent], perform: [refused], close: [closed] });
    expect(codeOf(await s.begin())).toBe('402 replayed');
    expect(await s.done()).toMatchObject({ outcome: { result: 'not-performed' } });
  });

  test('leaves it open when that door cannot be closed', async () => {
    const { s } = await inDoubt({ lookup: [absent], perform: [refused] });
    expect(codeOf(await s.begin())).toBe('409 outcome-pending');
  });

  // A21, F9
  test.each([
    ['just inside', KEY_RETENTION_MS - HOUR_MS - 1, 2, '201 replayed'],
    ['at the end of', KEY_RETENTION_MS - HOUR_MS, 1, '409 outcome-pending'],
    ['long after', 30 * HOUR_MS, 1, '409 outcome-pending'],
  ])('%s the provider’s memory of the key, less a margin', async (_, ms, performs, code) => {
    const { s, effect } = await inDoubt({ lookup: [absent], perform: [performed] });
    s.ambient.advance(ms);
    expect(codeOf(await s.begin())).toBe(code);
    expect(effect.performs()).toBe(performs);
  });

  test('sends nothing when the provider’s memory ends during the look-up', async () => {
    const lookup = () => {
      s.ambient.advance(KEY_RETENTION_MS);
      return absent;
    };
    const { s, effect } = await inDoubt({ lookup: [lookup], perform: [performed] });
    expect(codeOf(await s.begin({ budget: { remainingMs: () => 10_000 } }))).toBe('409 outcome-pending');
    expect(effect.performs()).toBe(1);
  });

  test.each([
    ['the look-up took most of the time', 8_500],
    ['the call took most of the time', 0],
  ])('stops in time when %s', async (_, ms) => {
    const slow = (evidence: Evidence, took: number) => () => {
      s.ambient.advance(took);
      return evidence;
    };
    const scripts = { lookup: [slow(absent, ms)], perform: [slow(refused, 8_500)], close: [closed] };
    const { s, effect } = await inDoubt(scripts);
    expect(codeOf(await s.begin())).toBe('409 outcome-pending');
    expect(effect.calls.map(({ method }) => method)).not.toContain('close');
  });

  test('looks nothing up in the time that it no longer has', async () => {
    const { s, effect } = await inDoubt({ lookup: [performed] });
    const times = [3_000, 1_999];
    expect(codeOf(await s.begin({ budget: { remainingMs: () => times.shift() ?? 1_999 } }))).toBe(
      '409 outcome-pending',
    );
    expect(effect.calls).toHaveLength(1);
  });

  test('asks the provider for a few seconds at most', async () => {
    const { s, effect } = await inDoubt({ lookup: [performed] });
    await s.begin();
    expect(effect.calls[1]?.call.timeoutMs).toBe(5_000);
  });

  test('of a route that has lost its effect leaves the outcome to others', async () => {
    const { s, effect } = await inDoubt({ lookup: [performed] });
    expect(codeOf(await s.begin({ effect: undefined }))).toBe('409 outcome-pending');
    expect(effect.calls).toHaveLength(1);
  });
});

describe('while a retry is asking', () => {
  test('another settles: the retry gives that answer', async () => {
    const lookup = async () => {
      await s.reconcile();
      return unknown;
    };
    const { s } = await inDoubt({ lookup: [lookup, performed] });
    expect(codeOf(await s.begin())).toBe('201 replayed');
    expect(await s.done()).toMatchObject({ settledBy: 'reconciler' });
  });

  // G1
  test('the door closes: the retry that sends again learns so, and both answers are the same bytes', async () => {
    const { s } = await inDoubt({
      lookup: [absent, absent],
      perform: [
        async () => {
          s.ambient.advance(LEASE_MS + 5 * 60_000);
          await s.reconcile();
          return unknown;
        },
      ],
      close: [closed],
    });
    const begun = await s.begin({ budget: { remainingMs: () => 10_000 } });
    expect(codeOf(begun)).toBe('402 replayed');
    expect(bytesOf(await s.begin())).toBe(bytesOf(begun));
  });

  test.each(['settle', 'read'] as const)('the store goes away at its %s: the outcome stays open', async (call) => {
    const { s } = await inDoubt({ lookup: [call === 'settle' ? performed : unknown] });
    s.store.fail(call);
    expect(codeOf(await s.begin())).toBe('503 store-unavailable');
    expect((await s.open()).status).toBe('unknown');
  });
});
