import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PARTITION_KEY, TTL_ATTRIBUTE } from '../../../lib/contract/table.ts';
import type { DoneClaim } from '../../../lib/idempotency/claim.ts';
import type { Item } from '../../../lib/stores/dynamodb/item.ts';
import { itemBytes } from '../../../lib/stores/dynamodb/item-size.ts';
import { recordName } from '../../../lib/stores/placement.ts';
import { json } from '../../contract/bodies.ts';
import { EXPIRES_AT, freshKey, RESPONSE, reach, settle } from '../../contract/samples.ts';
import { type AnswersTable, answersTable, isPart, OUTLINE } from './answers-table.ts';

let table: AnswersTable;
beforeAll(async () => {
  table = await answersTable();
});
afterAll(() => table.stop());

describe('a claim', () => {
  it.each([
    ['1 B', randomBytes(1)],
    ['500 B at random', randomBytes(500)],
    ['900 B of JSON', json(900)],
    ['2 kB of JSON', json(2_000)],
  ])('holds a small answer itself: %s', async (_, body) => {
    const pk = await table.settled(body);
    expect(await table.partsOf(pk)).toStrictEqual([]);
    expect(itemBytes(await table.claimItem(pk))).toBeLessThan(1_024);
  });

  it.each([
    ['900 B at random', randomBytes(900), 1],
    ['4 kB at random', randomBytes(4_000), 1],
    ['100 kB of JSON', json(100_000), 1],
    ['500 kB at random', randomBytes(500_000), 2],
    ['5 MB at random', randomBytes(5_000_000), 13],
  ])('stays below one write unit beside a large answer: %s', async (_, body, parts) => {
    const pk = await table.settled(body);
    expect(await table.partsOf(pk)).toHaveLength(parts);
    expect(itemBytes(await table.claimItem(pk))).toBeLessThan(1_024);
  });

  it('of a payment stays below one write unit, its gate and its answer included', async () => {
    const pk = await reach(table.store(), 'executing');
    await table.store().write({ ...settle(pk), response: { ...RESPONSE, body: json(180) } });
    expect(await table.partsOf(pk)).toStrictEqual([]);
    expect(itemBytes(await table.claimItem(pk))).toBeLessThan(1_024);
  });

  it('says of an answer beside it how many parts it has, how long it is, and what its bytes are', async () => {
    const pk = await table.settled(randomBytes(4_000));
    const { response } = await table.claimItem(pk);
    expect(response).toStrictEqual({
      ...OUTLINE,
      beside: {
        id: expect.any(String),
        parts: 1,
        length: expect.any(Number),
        head: expect.any(Number),
        sha256: expect.any(Uint8Array),
      },
    });
  });
});

describe('the parts of an answer', () => {
  it('expire with their claim, and are in no index', async () => {
    for (const part of await table.partsOf(await table.settled(randomBytes(500_000)))) {
      expect(Object.keys(part).toSorted()).toStrictEqual(['bytes', TTL_ATTRIBUTE, PARTITION_KEY].toSorted());
      expect(part[TTL_ATTRIBUTE]).toBe(EXPIRES_AT);
      expect(itemBytes(part)).toBeLessThanOrEqual(400 * 1_024);
    }
  });

  it('have keys that neither a claim nor a record has', async () => {
    const pk = await table.settled(randomBytes(2_000));
    for (const part of await table.partsOf(pk)) {
      expect(part[PARTITION_KEY]).toMatch(/^#answer\/[\w-]{43}\/[\w-]{36}\/0$/);
      expect(recordName({ table: '#answer', key: '' })).toBe('%23answer/');
    }
  });

  it('are compressed only where that saves a write unit', async () => {
    const stored = async (body: Uint8Array) =>
      (await table.partsOf(await table.settled(body))).reduce(
        (sum, { bytes }) => sum + (bytes as Uint8Array).byteLength,
        0,
      );
    expect(await stored(json(100_000))).toBeLessThan(25_000);
    expect(await stored(randomBytes(100_000))).toBeGreaterThanOrEqual(100_000);
    expect(await stored(Buffer.concat([randomBytes(100_000), Buffer.alloc(100)]))).toBeGreaterThan(100_100);
  });

  it('are all there before the claim says done', async () => {
    let partsSeen = 0;
    const watching = table.intercepted(async (input, name) => {
      if (isPart(input)) partsSeen += 1;
      if (name === 'UpdateCommand') expect(await table.partsOf((input['Key'] as Item)['pk'] as string)).toHaveLength(2);
    });
    await table.settled(randomBytes(500_000), table.store(watching));
    expect(partsSeen).toBe(2);
  });

  it('ride along with a small answer in a settlement that is a transaction anyway', async () => {
    const seen: string[] = [];
    const store = table.store(table.intercepted((_, name) => void seen.push(name)));
    const pk = await reach(store, 'executing');
    seen.length = 0;
    const body = randomBytes(1_500);
    const order = { ...freshKey(), expect: 'absent', put: {} } as const;
    expect(await store.write({ ...settle(pk), response: { ...RESPONSE, body } }, [order])).toStrictEqual({
      kind: 'applied',
    });
    expect(seen).toStrictEqual(['TransactWriteCommand']);
    expect((await table.responseOf(pk)).body).toStrictEqual(new Uint8Array(body));
    expect(await store.record(order)).toStrictEqual({});
  });

  it('of a larger answer are written before the transaction, at half its price', async () => {
    const seen: string[] = [];
    const store = table.store(table.intercepted((_, name) => void seen.push(name)));
    const pk = await reach(store, 'executing');
    seen.length = 0;
    const order = { ...freshKey(), expect: 'absent', put: {} } as const;
    await store.write({ ...settle(pk), response: { ...RESPONSE, body: randomBytes(10_000) } }, [order]);
    expect(seen).toStrictEqual(['PutCommand', 'TransactWriteCommand']);
  });
});

describe('two settlers of one claim', () => {
  it('never see each other’s bytes: the claim leads to those of the one who won', async () => {
    const [mine, theirs] = [randomBytes(50_000), randomBytes(60_000)];
    const pk = await reach(table.store(), 'unknown');
    const by = (settledBy: 'owner' | 'reconciler', body: Uint8Array) =>
      table.store().write({ ...settle(pk), settledBy, response: { ...RESPONSE, body } });
    const results = await Promise.all([by('owner', mine), by('reconciler', theirs)]);
    expect(results.map(({ kind }) => kind).toSorted()).toStrictEqual(['already', 'applied']);
    const winner = (await table.store().read(pk)) as DoneClaim;
    expect(winner.response.body).toStrictEqual(new Uint8Array(winner.settledBy === 'owner' ? mine : theirs));
    const lost = results.find(({ kind }) => kind === 'already');
    expect(lost).toStrictEqual({ kind: 'already', claim: winner });
    expect(await table.partsOf(pk)).toHaveLength(2);
    for (const part of await table.partsOf(pk)) expect(part[TTL_ATTRIBUTE]).toBe(EXPIRES_AT);
  });
});
