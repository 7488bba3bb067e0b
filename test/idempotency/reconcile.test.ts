import { describe, expect, test } from 'vitest';
import type { ClaimedClaim } from '../../lib/idempotency/claim.ts';
import type { Evidence } from '../../lib/idempotency/effect.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import { after } from '../../lib/idempotency/time.ts';
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
