import { describe, expect, test } from 'vitest';
import { MisuseError } from '../../lib/idempotency/errors.ts';
import { epochMs } from '../../lib/idempotency/time.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import {
  absent,
  closed,
  declined,
  type FakeEffect,
  fakeEffect,
  foreign,
  KEY_RETENTION_MS,
  notExecuted,
  performed,
  refused,
  unknown,
  usedUp,
} from '../support/fake-effect.ts';
import { COMMAND, codeOf, PK, scene } from '../support/scene.ts';

async function perform(effect: FakeEffect) {
  const s = scene(effect);
  const operation = await s.claim();
  const answer = await operation.perform(COMMAND);
  return { s, operation, answer };
}

describe('an effect', () => {
  test('that succeeds is settled by its owner before anybody hears of it', async () => {
    const { s, operation, answer } = await perform(fakeEffect({ perform: [performed] }));
    expect(codeOf(answer)).toBe('201');
    expect(await s.done()).toMatchObject({
      outcome: { result: 'performed' },
      settledBy: 'owner',
      operation: operation.id,
    });
    expect(await s.order()).toEqual({ operation: operation.id, result: 'performed' });
    expect(s.kinds()).toEqual(['claimed', 'gated', 'settled']);
  });

  // B5
  test('that is declined is settled too', async () => {
    const { s, answer } = await perform(fakeEffect({ perform: [declined] }));
    expect(codeOf(answer)).toBe('402');
    expect(await s.done()).toMatchObject({ outcome: { result: 'declined' } });
  });

  // F4, F5
  test('is asked for under a key of its generation, with what the gate stored', async () => {
    const effect = fakeEffect({ perform: [unknown] });
    const { s, operation } = await perform(effect);
    const { gate } = (await s.open()) as { gate?: { providerKey: string; sentAt: number } };
    const [sent] = effect.calls;
    expect(sent?.call).toMatchObject({
      operation: operation.id,
      command: COMMAND,
      key: gate?.providerKey,
      sentAt: gate?.sentAt,
    });
    expect(sent?.call.timeoutMs).toBe(8_700);
  });

  // B2, B3
  test.each([
    ['a time-out', unknown, 'the call timed out'],
    ['a key that is used up', usedUp, 'a 500 is stored under the key'],
    ['an answer that makes no sense here', absent, 'the provider answered "absent" to an effect'],
    ['a door that closed unasked', closed, 'the provider answered "closed" to an effect'],
  ])('whose call ends in %s is handed off, never called failed', async (_, evidence, reason) => {
    const { s, answer } = await perform(fakeEffect({ perform: [evidence] }));
    expect(codeOf(answer)).toBe('503 outcome-pending');
    expect(await s.open()).toMatchObject({ status: 'unknown', leaseUntil: s.ambient.now(), dueAt: s.ambient.now() });
    expect(s.events).toContainEqual({ kind: 'handed-off', operation: expect.any(String), reason });
    expect(await s.order()).toMatchObject({ operation: expect.any(String) });
  });

  // F1
  test('whose answer belongs to another order is handed off with an alarm', async () => {
    const { s, answer } = await perform(fakeEffect({ perform: [foreign] }));
    expect(codeOf(answer)).toBe('503 outcome-pending');
    expect(s.kinds()).toEqual(['claimed', 'gated', 'anomaly', 'handed-off']);
  });

  test('that lost its answer hands on what it has learned of the provider’s object', async () => {
    const effect = fakeEffect({
      perform: [{ kind: 'unknown', reason: 'reset', providerRef: 'ch_1' }],
      lookup: [performed],
    });
    const { s } = await perform(effect);
    await s.begin();
    expect(effect.calls[1]).toMatchObject({ method: 'lookup', call: { providerRef: 'ch_1' } });
  });

  test('that throws against its contract is handed off', async () => {
    const effect = fakeEffect({
      perform: [
        () => {
          throw new TypeError('a bug');
        },
      ],
    });
    const { s, answer } = await perform(effect);
    expect(codeOf(answer)).toBe('503 outcome-pending');
    expect(await s.open()).toMatchObject({ status: 'unknown' });
  });
});

describe('a refusal in validation', () => {
  // B2: nothing happened, and the closed door proves that nothing will.
  test('closes the door and is settled as not performed', async () => {
    const effect = fakeEffect({ perform: [refused], close: [closed] });
    const { s, answer } = await perform(effect);
    expect(codeOf(answer)).toBe('402');
    expect(await s.done()).toMatchObject({ outcome: { result: 'not-performed' }, settledBy: 'owner' });
    const [sent, shut] = effect.calls;
    expect(shut?.call.key).toBe(sent?.call.key);
  });

  test.each([
    ['the door cannot be closed', fakeEffect({ perform: [refused] })],
    ['the door does not close', fakeEffect({ perform: [refused], close: [unknown] })],
  ])('is handed off when %s', async (_, effect) => {
    const { s, answer } = await perform(effect);
    expect(codeOf(answer)).toBe('503 outcome-pending');
    expect(await s.open()).toMatchObject({ status: 'unknown' });
  });

  test('is handed off when no time is left to close the door', async () => {
    const effect = fakeEffect({
      perform: [
        () => {
          s.ambient.advance(8_500);
          return refused;
        },
      ],
      close: [closed],
    });
    const s = scene(effect);
    expect(codeOf(await (await s.claim()).perform(COMMAND))).toBe('503 outcome-pending');
    expect(effect.calls).toHaveLength(1);
  });
});

describe('a call that was provably not executed', () => {
  test('is tried again under the same key until it is', async () => {
    const effect = fakeEffect({ perform: [notExecuted, notExecuted, performed] });
    const { s, answer } = await perform(effect);
    expect(codeOf(answer)).toBe('201');
    expect(s.ambient.sleeps).toEqual([100, 200]);
    expect(new Set(effect.calls.map(({ call }) => call.key)).size).toBe(1);
  });

  test('is handed off in time when it never is, without a pause that nothing could follow', async () => {
    const effect = fakeEffect({ perform: Array.from({ length: 50 }, () => notExecuted) });
    const { s, answer } = await perform(effect);
    expect(codeOf(answer)).toBe('503 outcome-pending');
    expect(await s.open()).toMatchObject({ status: 'unknown' });
    expect(s.ambient.sleeps).toEqual([100, 200, 400, 800, 1_600, 3_200]);
  });
});

describe('the last safe moment', () => {
  test('before the gate: nothing is claimed any more, and the key is free', async () => {
    const effect = fakeEffect({});
    const s = scene(effect);
    const operation = await s.claim();
    s.ambient.advance(7_501);
    expect(codeOf(await operation.perform(COMMAND))).toBe('503 not-enough-time');
    expect(await s.item()).toBeUndefined();
    expect(effect.calls).toEqual([]);
  });

  test('with time for a gate, an effect and a settlement, but no more, is soon enough', async () => {
    const s = scene(fakeEffect({ perform: [performed] }));
    const operation = await s.claim();
    s.ambient.advance(7_500);
    expect(codeOf(await operation.perform(COMMAND))).toBe('201');
  });

  // A13, A19: the clock jumped, or the process was frozen, behind the gate.
  test.each([
    ['too little time is left', 9_000],
    ['the provider may have forgotten the key', KEY_RETENTION_MS],
  ])('behind the gate: when %s, nothing is sent', async (_, ms) => {
    const effect = fakeEffect({ perform: [performed] });
    const s = scene(effect);
    const operation = await s.claim(ms > 9_000 ? { budget: { remainingMs: () => 10_000 } } : {});
    const pause = s.store.pause('gate');
    const answer = operation.perform(COMMAND);
    await pause.reached;
    s.ambient.advance(ms);
    pause.goOn();
    expect(codeOf(await answer)).toBe('503 outcome-pending');
    expect(effect.calls).toEqual([]);
    expect(s.events).toContainEqual(expect.objectContaining({ reason: 'too little time was left to send it' }));
  });
});

describe('a handler', () => {
  test('that performs twice is told so, and its first answer stands', async () => {
    const effect = fakeEffect({ perform: [performed] });
    const { operation, s } = await perform(effect);
    await expect(operation.perform(COMMAND)).rejects.toThrow(MisuseError);
    expect(effect.performs()).toBe(1);
    expect((await s.done()).settledBy).toBe('owner');
  });

  // A11
  test('whose time ran out during the call leaves a claim that the call itself settles later', async () => {
    const reply = Promise.withResolvers<typeof performed>();
    const effect = fakeEffect({ perform: [() => reply.promise] });
    const s = scene(effect);
    const operation = await s.claim();
    const answer = operation.perform(COMMAND);
    await expect.poll(() => effect.calls.length).toBe(1);
    await operation.abandon('timed out');
    expect(await s.open()).toMatchObject({ status: 'unknown' });
    expect(operation.answer).toBeUndefined();
    reply.resolve(performed);
    expect(codeOf(await answer)).toBe('201');
    expect(operation.answer).toBe(await answer);
  });

  test('that gives up before its gate frees the key, and can no longer pass', async () => {
    const effect = fakeEffect({});
    const s = scene(effect);
    const operation = await s.claim();
    await operation.abandon('failed');
    expect(await s.item()).toBeUndefined();
    expect(codeOf(await operation.perform(COMMAND))).toBe('409 idempotency-key-in-progress');
    expect(effect.calls).toEqual([]);
  });
});

test('a claim is never released behind its gate', async () => {
  const { s, operation } = await perform(fakeEffect({ perform: [unknown] }));
  expect(await operation.release()).toBe(false);
  const { owner, operation: id } = await s.open();
  const lapsedAt = epochMs(s.ambient.now() + 1e12);
  for (const write of [
    { kind: 'release', pk: PK, operation: id, owner, lapsedAt } as const,
    { kind: 'release-ungated', pk: PK, operation: id, owner } as const,
  ]) {
    expect((await s.store.write(write)).kind).toBe('refused');
  }
});

test('the time of a call to the provider ends with the invocation’s', async () => {
  const effect = fakeEffect({ perform: [performed] });
  const s = scene(effect);
  const operation = await s.claim({ budget: budgetOf(s.ambient, 4_000) });
  await operation.perform(COMMAND);
  expect(effect.calls[0]?.call.timeoutMs).toBe(2_700);
});
