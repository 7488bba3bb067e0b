import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DUE_AT, DUE_SHARD, PARTITION_KEY, TTL_ATTRIBUTE } from '../../../lib/contract/table.ts';
import type { DoneClaim } from '../../../lib/idempotency/claim.ts';
import { dynamoDbStore } from '../../../lib/stores/dynamodb/store.ts';
import { nameOf, recordName } from '../../../lib/stores/placement.ts';
import {
  EXPIRES_AT,
  freshKey,
  freshPk,
  GATE,
  handOff,
  LEASE_UNTIL,
  quarantine,
  reach,
  type State,
  settle,
} from '../../contract/samples.ts';
import { type Engine, startEngine } from '../../support/engine.ts';
import { item } from './mocked-store.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const store = () =>
  dynamoDbStore({
    client: engine.client,
    tableName: engine.tableName,
    ambient: { id: randomUUID, random: () => 0, sleep: async () => {} },
  });

const raw = async (pk: string): Promise<Record<string, unknown>> => {
  const { Item = {} } = await engine.client.send(new GetCommand({ TableName: engine.tableName, Key: { pk } }));
  return Item;
};

describe('an item', () => {
  it.each(['claimed', 'executing', 'ungated', 'unknown'] satisfies State[])(
    'is in the index and can never expire while it is open: %s',
    async (state) => {
      const found = await raw(await reach(store(), state));
      expect(found).toHaveProperty(DUE_SHARD);
      expect(found).toHaveProperty(DUE_AT);
      expect(found).not.toHaveProperty(TTL_ATTRIBUTE);
    },
  );

  it('expires in whole seconds and is out of the index once it is done', async () => {
    const found = await raw(await reach(store(), 'done'));
    expect(found[TTL_ATTRIBUTE]).toBe(EXPIRES_AT);
    expect(Object.keys(found).toSorted()).toStrictEqual(
      [
        ...[PARTITION_KEY, 'v', 'status', 'operation', 'owner', 'fingerprint', 'scope', 'createdAt', TTL_ATTRIBUTE],
        ...['providerKey', 'command', 'sentAt', 'outcome', 'response', 'settledBy'],
      ].toSorted(),
    );
  });

  it('keeps the gate beside the claim and the command as text', async () => {
    const found = await raw(await reach(store(), 'executing'));
    expect(found).toMatchObject({
      leaseUntil: LEASE_UNTIL,
      attempts: 0,
      providerKey: GATE.providerKey,
      command: JSON.stringify(GATE.command),
      sentAt: GATE.sentAt,
    });
  });

  it('is the same whether a claim arrives at its state by updates or is written whole', async () => {
    for (const state of ['claimed', 'executing', 'ungated', 'unknown', 'done', 'quarantined'] as const) {
      const pk = await reach(store(), state === 'quarantined' ? 'executing' : state);
      if (state === 'quarantined') {
        await store().write({ ...handOff(pk), providerRef: 'pi_1' });
        await store().write(quarantine(pk));
      }
      const claim = await store().read(pk);
      if (claim === undefined || claim.status === 'newer') throw new Error('The claim is gone');
      expect(await raw(pk)).toStrictEqual(item(claim));
    }
  });

  it('keeps what the outcome is rendered from in the order of its members', async () => {
    const pk = await reach(store(), 'executing');
    await store().write({ ...settle(pk), outcome: { result: 'performed', detail: { z: 1, a: { y: 1, b: 2 } } } });
    const { outcome } = (await store().read(pk)) as DoneClaim;
    expect(JSON.stringify(outcome.detail)).toBe('{"z":1,"a":{"y":1,"b":2}}');
  });
});

describe('a domain record', () => {
  it('has no attribute of its own beside the one that holds it', async () => {
    const at = freshKey();
    await store().commit([{ ...at, expect: 'absent', put: { [TTL_ATTRIBUTE]: 1, [DUE_SHARD]: 0, [DUE_AT]: 1 } }]);
    expect(Object.keys(await raw(recordName(at))).toSorted()).toStrictEqual([PARTITION_KEY, 'record']);
    expect((await store().due(0, LEASE_UNTIL, 1_000)).due.map(nameOf)).not.toContain(recordName(at));
  });

  it('can have no key that a claim has', () => {
    expect(recordName({ table: '', key: freshPk() })).toContain('/');
    expect(freshPk()).toMatch(/^[\w-]{43}$/);
  });
});
