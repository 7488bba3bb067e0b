import { randomBytes, randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itemBytes, writeUnits } from '../../../lib/stores/dynamodb/item-size.ts';
import { dynamoDbStore } from '../../../lib/stores/dynamodb/store.ts';
import { json } from '../../contract/bodies.ts';
import { claim, freshPk, RESPONSE, settle, ungated } from '../../contract/samples.ts';
import { type Engine, startEngine } from '../../support/engine.ts';
import { type MeteredClient, meteredClient } from './metered-client.ts';

let engine: Engine;
let metered: MeteredClient;
beforeAll(async () => {
  engine = await startEngine();
  metered = meteredClient(engine.client);
});
afterAll(() => engine.stop());

const store = () =>
  dynamoDbStore({
    client: metered.client,
    tableName: engine.tableName,
    ambient: { id: randomUUID, random: () => 0, sleep: async () => {} },
  });

/** A claim enters the index of open claims, and leaves it. */
const INDEX_UNITS = 1;

/** What the first request and a replay of its answer consume; a failed condition costs by the item that it met. */
async function costOf(body: Uint8Array) {
  const pk = freshPk();
  metered.take();
  await store().write(claim(ungated(pk)));
  await store().write({ ...settle(pk), outcome: { result: 'answered' }, response: { ...RESPONSE, body } });
  const first = metered.take();
  await store().write(claim(ungated(pk, 'op-2', 'rival')));
  const replay = metered.take();
  const { Item = {} } = await engine.client.send(new GetCommand({ TableName: engine.tableName, Key: { pk } }));
  return { first, replay, met: writeUnits(itemBytes(Item)) };
}

describe('an answer in its claim', () => {
  it.each([
    ['200 B of JSON', json(200)],
    ['900 B of JSON', json(900)],
  ])('costs no more than the claim: %s', async (_, body) => {
    const first = [
      ['Put', 1 + INDEX_UNITS],
      ['Update', 1 + INDEX_UNITS],
    ];
    expect(await costOf(body)).toStrictEqual({ first, replay: [['Put', undefined]], met: 1 });
  });
});

describe('an answer beside its claim', () => {
  it.each([
    ['10 kB of JSON', json(10_000), 2, 1],
    ['10 kB at random', randomBytes(10_000), 10, 3],
    ['200 kB of JSON', json(200_000), 36, 9],
    ['200 kB at random', randomBytes(200_000), 196, 49],
  ])('costs its bytes once, and a replay one unit and the read of them: %s', async (_, body, written, read) => {
    const first = [
      ['Put', 1 + INDEX_UNITS],
      ['Put', written],
      ['Update', 1 + INDEX_UNITS],
    ];
    const replay = [
      ['Put', undefined],
      ['Get', read],
    ];
    expect(await costOf(body)).toStrictEqual({ first, replay, met: 1 });
  });
});

it('an item is measured as the engine measures it, to the unit', async () => {
  for (let length = 0; length < 3_000; length += 97) {
    const response = { status: 201, headers: { location: 'é'.repeat(20) }, body: randomBytes(length) };
    const Item = { pk: freshPk(), v: 1, createdAt: 1_800_000_000_000, fingerprint: 'x'.repeat(400), response };
    await metered.client.send(new PutCommand({ TableName: engine.tableName, Item }));
    expect(metered.take()).toStrictEqual([['Put', writeUnits(itemBytes(Item))]]);
  }
});
