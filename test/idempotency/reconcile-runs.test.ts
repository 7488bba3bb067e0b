import { describe, expect, test } from 'vitest';
import type { ClaimedClaim } from '../../lib/idempotency/claim.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import { after } from '../../lib/idempotency/time.ts';
import {
  absent,
  closed,
  declined,
  type FakeEffect,
  fakeEffect,
  KEY_RETENTION_MS,
  performed,
  unknown,
} from '../support/fake-effect.ts';
import { COMMAND, codeOf, GRACE_MS, LEASE_MS, type Scene, scene } from '../support/scene.ts';

const HOUR_MS = 60 * 60_000;

type Scripts = Parameters<typeof fakeEffect>[0];

/** A key whose owner called the provider and handed it off. */
async function inDoubt(scripts: Scripts): Promise<{ s: Scene; effect: FakeEffect }> {
  const effect = fakeEffect({ perform: [unknown], ...scripts });
  const s = scene(effect);
  await (await s.claim()).perform(COMMAND);
  return { s, effect };
}

describe('the due index', () => {
  async function claims(s: Scene, count: number): Promise<void> {
    for (let n = 0; n < count; n++) await s.begin({ pk: `pk-${n}` });
  }

  // A23
  test('is only a hint: what was settled since, or is leased, is left alone', async () => {
    const { s, effect } = await inDoubt({ lookup: [performed] });
    const pause = s.store.pause('read');
    const run = s.reconcile();
    await pause.reached;
    await s.begin();
    pause.goOn();
    expect(await run).toMatchObject({ examined: 0 });
    expect(effect.calls).toHaveLength(2);
  });

  test('may name a claim whose lease still runs, which is left alone', async () => {
    const s = scene(fakeEffect({}));
    const now = s.ambient.now();
    const claim: ClaimedClaim = {
      v: 1,
      pk: 'pk',
      status: 'claimed',
      operation: 'op',
      owner: 'me',
      fingerprint: 'f1:x' as Fingerprint,
      scope: 'scope',
      createdAt: now,
      leaseUntil: after(now, 1_000),
      dueAt: now,
      attempts: 0,
    };
    await s.store.write({ kind: 'claim', claim, now });
    expect(await s.reconcile()).toMatchObject({ examined: 0 });
    expect(await s.item()).toEqual(claim);
  });

  test('is gone through to its end, over every shard and page', async () => {
    const s = scene(fakeEffect({}));
    await claims(s, 600);
    s.ambient.advance(LEASE_MS + 1);
    expect(await s.reconcile()).toMatchObject({ examined: 600, released: 600 });
    expect(s.store.calls.filter((call) => call === 'due').length).toBeGreaterThan(s.store.shards);
  });

  test('is left when the time is over; the next run goes on', async () => {
    const s = scene(fakeEffect({}));
    await claims(s, 20);
    s.ambient.advance(LEASE_MS + 1);
    expect(await s.reconcile(1_000)).toMatchObject({ examined: 0, outOfTime: true });
    expect(await s.reconcile()).toMatchObject({ examined: 20, outOfTime: false });
  });
});

describe('a store that fails in a run', () => {
  test('at one claim does not keep the others from their turn', async () => {
    const s = scene(fakeEffect({}));
    for (let n = 0; n < 10; n++) await s.begin({ pk: `pk-${n}` });
    s.ambient.advance(LEASE_MS + 1);
    s.store.fail('read', 'failed', 3);
    s.store.fail('lease', 'lost', 5);
    s.store.fail('release', 'failed', 2);
    expect(await s.reconcile()).toMatchObject({ released: 7, errors: 3 });
    s.ambient.advance(HOUR_MS);
    expect(await s.reconcile()).toMatchObject({ released: 3, errors: 0 });
    expect(s.kinds()).toContain('store-error');
  });

  test('at a settlement leaves the claim for the next look', async () => {
    const { s } = await inDoubt({ lookup: [performed, performed] });
    s.store.fail('settle');
    expect(await s.reconcile()).toMatchObject({ errors: 1, waiting: 1 });
    s.ambient.advance(HOUR_MS);
    expect((await s.reconcile()).settled.performed).toBe(1);
  });
});

describe('a due record of the domain', () => {
  /** One payment that waits, due now. */
  async function due(s: Scene): Promise<void> {
    const at = { table: 'payments', key: 'p' };
    await s.store.commit([{ ...at, expect: 'absent', put: { state: 'waiting' }, dueAt: s.ambient.now() }]);
  }

  test.each([
    ['done', { examined: 1, advanced: 1, waiting: 0 }],
    ['waiting', { examined: 1, advanced: 0, waiting: 1 }],
  ] as const)('is moved on by its own work: %s', async (end, report) => {
    const s = scene(fakeEffect({}));
    await due(s);
    const keys: string[] = [];
    const payments = async (key: string) => {
      keys.push(key);
      return end;
    };
    expect(await s.reconcile(60_000, { payments })).toMatchObject(report);
    expect(keys).toEqual(['p']);
  });

  test('that nobody works on is left alone', async () => {
    const s = scene(fakeEffect({}));
    await due(s);
    expect(await s.reconcile()).toMatchObject({ examined: 0, errors: 0 });
    expect(await s.reconcile(60_000, { orders: async () => 'done' })).toMatchObject({ examined: 0 });
  });

  test('whose work fails is an error, and keeps nobody from their turn', async () => {
    const s = scene(fakeEffect({}));
    await due(s);
    await s.begin();
    s.ambient.advance(LEASE_MS + 1);
    const payments = async () => {
      throw new TypeError('a bug');
    };
    expect(await s.reconcile(60_000, { payments })).toMatchObject({ errors: 1, released: 1 });
  });
});

describe('two runs at once', () => {
  // G6
  test('look a claim up once', async () => {
    const { s, effect } = await inDoubt({ lookup: [performed, performed] });
    const [one, other] = await Promise.all([s.reconcile(), s.reconcile()]);
    expect(one.examined + other.examined).toBe(1);
    expect(effect.calls).toHaveLength(2);
  });

  // A12, G5
  test('with a webhook between them write one result', async () => {
    const effect = fakeEffect({
      perform: [unknown],
      lookup: [
        async () => {
          expect(codeOf(await s.begin())).toBe('201 replayed');
          return absent;
        },
        performed,
      ],
      close: [closed],
    });
    const s = scene(effect);
    await (await s.claim()).perform(COMMAND);
    s.ambient.advance(GRACE_MS);
    const report = await s.reconcile();
    expect(await s.done()).toMatchObject({ outcome: { result: 'performed' }, settledBy: 'retry' });
    expect(report.settled).toMatchObject({ performed: 1, 'not-performed': 0 });
    expect(s.kinds()).toContain('anomaly');
  });

  test('do not free the key of an owner that took it over meanwhile', async () => {
    const s = scene(fakeEffect({ perform: [performed] }));
    await s.begin();
    s.ambient.advance(LEASE_MS + 1);
    const pause = s.store.pause('release');
    const run = s.reconcile();
    await pause.reached;
    const successor = await s.claim();
    pause.goOn();
    expect(await run).toMatchObject({ released: 0, waiting: 1 });
    expect(codeOf(await successor.perform(COMMAND))).toBe('201');
  });

  test('do not quarantine what was settled meanwhile', async () => {
    const { s } = await inDoubt({ lookup: [absent, performed] });
    s.ambient.advance(GRACE_MS);
    const pause = s.store.pause('quarantine');
    const run = s.reconcile();
    await pause.reached;
    await s.begin();
    pause.goOn();
    expect(await run).toMatchObject({ quarantined: 0 });
    expect(await s.done()).toMatchObject({ outcome: { result: 'performed' } });
  });

  test('answer nothing from a generation that came later', async () => {
    const effect = fakeEffect({
      perform: [unknown],
      lookup: [
        async () => {
          await s.begin();
          s.ambient.advance(KEY_RETENTION_MS + 1_000);
          await s.begin();
          return performed;
        },
        declined,
      ],
    });
    const s = scene(effect);
    await (await s.claim()).perform(COMMAND);
    const report = await s.reconcile(2 * KEY_RETENTION_MS);
    expect(report).toMatchObject({ examined: 1, waiting: 0, settled: { performed: 0, declined: 0 } });
    expect((await s.open()).status).toBe('claimed');
  });
});
