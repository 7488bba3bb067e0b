import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../lib/idempotency/store.ts';
import { dynamoDbStore } from '../../lib/stores/dynamodb/store.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import {
  claim,
  claimed,
  EXPIRED,
  freshKey,
  freshPk,
  GATE,
  gate,
  handOff,
  lease,
  quarantine,
  release,
  releaseUngated,
  settle,
  takeOver,
} from './samples.ts';
import { storeContract } from './store-contract.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const ambient = { id: randomUUID, random: Math.random, sleep: (ms: number) => sleep(ms) };
const makeStore = (): Store => dynamoDbStore({ client: engine.client, tableName: engine.tableName, ambient });

storeContract('DynamoDB', makeStore);

it.each(['claimed', 'executing', 'unknown'])(
  'an open claim that came by an expiry is not claimed anew: %s',
  async (status) => {
    const pk = freshPk();
    const Item = { ...claimed(pk), status, dueShard: 1, expiresAt: 1, ...GATE, command: JSON.stringify(GATE.command) };
    await engine.client.send(new PutCommand({ TableName: engine.tableName, Item }));
    expect((await makeStore().write(claim(claimed(pk, 'op-2', 'rival'), EXPIRED))).kind).toBe('refused');
    expect((await makeStore().read(pk))?.status).toBe(status);
  },
);

describe('an item of a newer schema', () => {
  const every = [takeOver, gate, release, releaseUngated, handOff, settle, lease, quarantine];

  /** Like our own item in every attribute that a condition looks at, but for its version. */
  async function plant(pk: string, status: string): Promise<Record<string, unknown>> {
    const { dueAt, leaseUntil, operation, owner, fingerprint } = claimed(pk);
    const known = { pk, status, operation, owner, fingerprint, dueAt, leaseUntil, dueShard: 1, expiresAt: 1 };
    const Item = { ...known, v: 2, ...(status === 'executing' && { providerKey: 'x' }) };
    await engine.client.send(new PutCommand({ TableName: engine.tableName, Item }));
    return Item;
  }

  it('is read as newer', async () => {
    const pk = freshPk();
    await plant(pk, 'claimed');
    expect(await makeStore().read(pk)).toStrictEqual({ status: 'newer', v: 2, pk });
  });

  it.each(['claimed', 'executing', 'unknown', 'done'])('is left alone by every write when %s', async (status) => {
    const pk = freshPk();
    await plant(pk, status);
    const refused = { kind: 'refused', found: { status: 'newer', v: 2, pk } };
    for (const write of [claim(claimed(pk, 'op-2', 'rival'), EXPIRED), ...every.map((make) => make(pk))]) {
      expect(await makeStore().write(write)).toStrictEqual(refused);
      expect(await makeStore().write(write, [{ ...freshKey(), expect: 'absent', put: {} }])).toStrictEqual(refused);
    }
  });
});
