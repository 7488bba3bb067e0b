import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../lib/idempotency/claim.ts';
import { StoreUnavailableError } from '../../lib/idempotency/errors.ts';
import { type Settling, settle } from '../../lib/idempotency/settlement.ts';
import { DECLINED, type FakeEffect, fakeEffect, PERFORMED, performed, unknown } from '../support/fake-effect.ts';
import { COMMAND, codeOf, LEASE_MS, RETENTION_MS, type Scene, scene } from '../support/scene.ts';

async function inDoubt(effect: FakeEffect = fakeEffect({ perform: [unknown] })) {
  const s = scene(effect);
  await (await s.claim()).perform(COMMAND);
  const claim = (await s.open()) as unknown as Settling; // It has passed its gate.
  const report = (outcome: Outcome, by: 'webhook' | 'reconciler' = 'webhook') =>
    settle(s.protocol, effect, claim, outcome, by);
  return { s, report };
}

const anomalies = (s: Scene) => s.events.flatMap((event) => (event.kind === 'anomaly' ? [event.reason] : []));

describe('a definite outcome', () => {
  test('is written by whoever holds one, together with the domain’s records', async () => {
    const { s, report } = await inDoubt();
    expect(await report(PERFORMED)).toMatchObject({ kind: 'settled', outcome: PERFORMED, response: { status: 201 } });
    expect(await s.done()).toMatchObject({ settledBy: 'webhook' });
    expect(await s.order()).toMatchObject({ result: 'performed' });
  });

  // A12, G5, H3
  test('that is reported twice is one settlement: the first writer’s answer stands', async () => {
    const { s, report } = await inDoubt();
    const [first, second] = await Promise.all([report(PERFORMED), report(PERFORMED, 'reconciler')]);
    expect(second).toEqual(first);
    expect(anomalies(s)).toEqual([]);
  });

  // G4, G5
  test('that contradicts the stored one raises an alarm and overwrites nothing', async () => {
    const { s, report } = await inDoubt();
    await report({ result: 'not-performed' });
    const before = await s.item();
    expect(await report(PERFORMED)).toMatchObject({ kind: 'settled', outcome: { result: 'not-performed' } });
    expect(await s.item()).toEqual(before);
    expect(anomalies(s)).toEqual([
      'stored as not-performed (no reference), reported as performed (ch_1)',
      'settled, but orders/order refused to be written',
    ]);
  });

  test('of another object of the provider is a contradiction too', async () => {
    const { s, report } = await inDoubt();
    await report(PERFORMED);
    await report({ result: 'performed', ref: 'ch_2' });
    await report({ result: 'declined' });
    expect(anomalies(s).filter((reason) => reason.startsWith('stored'))).toEqual([
      'stored as performed (ch_1), reported as performed (ch_2)',
      'stored as performed (ch_1), reported as declined (no reference)',
    ]);
  });
});

describe('a domain that refuses', () => {
  test('does not block the settlement, and is named in an alarm', async () => {
    const { s, report } = await inDoubt();
    const taken = { table: 'orders', key: 'order', expect: {}, put: { operation: 'other' } };
    await s.store.commit([taken]);
    expect(await report(PERFORMED)).toMatchObject({ kind: 'settled' });
    expect(await s.order()).toEqual({ operation: 'other' });
    expect(anomalies(s)).toEqual(['settled, but orders/order refused to be written']);
  });

  test('keeps only what it refuses: its other records are written', async () => {
    const receipt = { table: 'receipts', key: 'r', expect: 'absent', put: { n: 1 } } as const;
    const lock = { table: 'orders', key: 'order', expect: { operation: 'nobody' }, put: { n: 1 } } as const;
    const { s, report } = await inDoubt(fakeEffect({ perform: [unknown] }, { settle: () => [lock, receipt] }));
    expect(await report(PERFORMED)).toMatchObject({ kind: 'settled' });
    expect(await s.store.record({ table: 'receipts', key: 'r' })).toEqual({ n: 1 });
    expect(anomalies(s)).toEqual(['settled, but orders/order refused to be written']);
  });
});

test('a domain that refuses a claim which another has settled meanwhile writes nothing twice', async () => {
  const { s, report } = await inDoubt();
  await s.store.commit([{ table: 'orders', key: 'order', expect: {}, put: { operation: 'other' } }]);
  const write = s.store.write.bind(s.store);
  s.store.write = async (attempted, alongside) => {
    const result = await write(attempted, alongside);
    if (result.kind === 'blocked') await write(attempted);
    return result;
  };
  expect(await report(PERFORMED)).toMatchObject({ kind: 'settled', outcome: PERFORMED });
  expect(anomalies(s)).toEqual([]);
});

test('a store that blames records which it was not given cannot be used', async () => {
  const { s, report } = await inDoubt();
  s.store.write = async () => ({ kind: 'blocked', by: [] });
  await expect(report(PERFORMED)).rejects.toThrow(StoreUnavailableError);
});

describe('an outcome that comes after its generation has ended', () => {
  async function late() {
    const { s, report } = await inDoubt();
    await report(DECLINED);
    await s.store.commit([{ table: 'orders', key: 'order', expect: {}, remove: true }]);
    s.ambient.advance(RETENTION_MS + 1_000);
    return { s, report };
  }

  test('is not answered from the next generation, but the domain hears of it', async () => {
    const { s, report } = await late();
    const next = await s.claim();
    await next.perform(COMMAND);
    const item = await s.item();
    expect(await report(PERFORMED)).toEqual({ kind: 'superseded' });
    expect(await s.item()).toEqual(item);
    expect(anomalies(s)).toEqual([
      'performed came after the claim had ended',
      'settled, but orders/order refused to be written',
    ]);
    expect(s.store.calls.at(-1)).toBe('commit');
  });

  test('is told to the domain also when the item is gone', async () => {
    const { s, report } = await inDoubt();
    const { operation } = await s.open();
    await s.store.commit([{ table: 'orders', key: 'order', expect: {}, remove: true }]);
    s.store.read = async () => undefined;
    const write = s.store.write.bind(s.store);
    s.store.write = async (attempted, alongside) =>
      attempted.kind === 'settle' ? { kind: 'refused', found: undefined } : write(attempted, alongside);
    expect(await report(PERFORMED)).toEqual({ kind: 'superseded' });
    expect(await s.order()).toMatchObject({ operation, result: 'performed' });
  });

  test('leaves the late owner with an open outcome', async () => {
    const reply = Promise.withResolvers<{ kind: 'outcome'; outcome: Outcome }>();
    const effect = fakeEffect({ perform: [() => reply.promise], lookup: [{ kind: 'outcome', outcome: DECLINED }] });
    const s = scene(effect);
    const operation = await s.claim();
    const answer = operation.perform(COMMAND);
    await expect.poll(() => effect.calls.length).toBe(1);
    s.ambient.advance(20_000);
    expect(codeOf(await s.begin())).toBe('402 replayed');
    s.ambient.advance(RETENTION_MS);
    await s.begin();
    reply.resolve({ kind: 'outcome', outcome: PERFORMED });
    expect(codeOf(await answer)).toBe('503 outcome-pending');
    expect((await s.open()).status).toBe('claimed');
  });

  test('leaves a late retry with an open outcome', async () => {
    const lookup = async () => {
      s.ambient.advance(RETENTION_MS);
      await settle(s.protocol, effect, claim, DECLINED, 'webhook');
      s.ambient.advance(RETENTION_MS + 1_000);
      await s.begin();
      return { kind: 'outcome', outcome: PERFORMED } as const;
    };
    const effect = fakeEffect({ perform: [unknown], lookup: [lookup] });
    const s = scene(effect);
    await (await s.claim()).perform(COMMAND);
    const claim = (await s.open()) as unknown as Settling; // It has passed its gate.
    expect(codeOf(await s.begin({ budget: { remainingMs: () => 10_000 } }))).toBe('409 outcome-pending');
  });
});

test('a claim that newer code has rewritten is a store that cannot be used', async () => {
  const { s, report } = await inDoubt();
  s.store.write = async () => ({ kind: 'refused', found: { status: 'newer', v: 2, pk: 'pk' } });
  await expect(report(PERFORMED)).rejects.toThrow(StoreUnavailableError);
  await expect(report(PERFORMED)).rejects.toThrow('schema version 2');
});

describe('a settlement by the owner', () => {
  // A2, A25
  test.each([
    ['is written but whose reply is lost', 'lost', 'done'],
    ['is not written', 'failed', 'unknown'],
  ] as const)('that %s leaves the claim to others and never frees it', async (_, kind, status) => {
    const effect = fakeEffect({ perform: [performed], lookup: [performed] });
    const s = scene(effect);
    const operation = await s.claim();
    s.store.fail('settle', kind);
    expect(codeOf(await operation.perform(COMMAND))).toBe('503 outcome-pending');
    expect((await s.item())?.status).toBe(status);
    expect(codeOf(await s.begin())).toBe('201 replayed');
    expect(effect.performs()).toBe(1);
  });

  test('that fails with the store gone is found at the end of the lease', async () => {
    const effect = fakeEffect({
      perform: [
        () => {
          s.store.isDown = true;
          return performed;
        },
      ],
      lookup: [performed],
    });
    const s = scene(effect);
    expect(codeOf(await (await s.claim()).perform(COMMAND))).toBe('503 outcome-pending');
    s.store.isDown = false;
    expect(codeOf(await s.begin())).toBe('409 idempotency-key-in-progress');
    s.ambient.advance(LEASE_MS);
    expect(codeOf(await s.begin())).toBe('201 replayed');
  });

  test('of an owner who was slower than a retry gives the retry’s answer', async () => {
    const effect = fakeEffect({
      perform: [
        async () => {
          s.ambient.advance(LEASE_MS);
          expect(codeOf(await s.begin())).toBe('201 replayed');
          return performed;
        },
      ],
      lookup: [performed],
    });
    const s = scene(effect);
    expect(codeOf(await (await s.claim()).perform(COMMAND))).toBe('201');
    expect(await s.done()).toMatchObject({ settledBy: 'retry' });
  });
});
