import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../lib/idempotency/errors.ts';
import type { DomainWrite, Store } from '../../../lib/idempotency/store.ts';
import type { Write } from '../../../lib/idempotency/transition.ts';
import { dynamoDbStore } from '../../../lib/stores/dynamodb/store.ts';
import * as sample from '../../contract/samples.ts';
import { type Engine, startEngine, testClient } from '../../support/engine.ts';
import { type LossyProxy, lossyProxy } from '../../support/lossy-proxy.ts';

let engine: Engine;
let proxy: LossyProxy;
let store: Store;
beforeAll(async () => {
  engine = await startEngine();
  proxy = await lossyProxy(engine.endpoint);
  const ambient = { id: randomUUID, random: Math.random, sleep: (ms: number) => sleep(ms) };
  store = dynamoDbStore({ client: testClient(proxy.endpoint), tableName: engine.tableName, ambient });
});
afterAll(async () => {
  await proxy.stop();
  await engine.stop();
});

interface Row {
  readonly behaviour: string;
  readonly on: sample.State;
  readonly operation: string;
  readonly write: (pk: string) => Write;
}

const rows: readonly Row[] = [
  {
    behaviour: 'a claim',
    on: 'absent',
    operation: 'PutItem',
    write: (pk) => sample.claim(sample.claimed(pk)),
  },
  { behaviour: 'a take-over', on: 'claimed', operation: 'UpdateItem', write: sample.takeOver },
  { behaviour: 'a gate', on: 'claimed', operation: 'UpdateItem', write: sample.gate },
  { behaviour: 'a release', on: 'claimed', operation: 'DeleteItem', write: sample.release },
  { behaviour: 'a release of an ungated claim', on: 'ungated', operation: 'DeleteItem', write: sample.releaseUngated },
  { behaviour: 'a hand-off', on: 'executing', operation: 'UpdateItem', write: sample.handOff },
  { behaviour: 'a settlement', on: 'executing', operation: 'UpdateItem', write: sample.settle },
  { behaviour: 'a quarantine', on: 'executing', operation: 'UpdateItem', write: sample.quarantine },
];

it.each(rows)('$behaviour that landed without a reply is recognised by the retry of the SDK', async (row) => {
  const pk = await sample.reach(store, row.on);
  const before = proxy.count(row.operation);
  proxy.lose(row.operation, 1);
  const result = await store.write(row.write(pk));
  expect(proxy.count(row.operation)).toBe(before + 2);
  // A quarantine says the same again without harm, so its condition does not exclude itself.
  const landed =
    row.write(pk).kind === 'quarantine' ? { kind: 'applied' } : { kind: 'already', claim: await store.read(pk) };
  expect(result).toStrictEqual(landed);
});

it.each(rows)('$behaviour and its domain write that landed without a reply are recognised', async (row) => {
  const pk = await sample.reach(store, row.on);
  const at = sample.freshKey();
  const lock: DomainWrite = { ...at, expect: 'absent', put: { pk } };
  const before = proxy.count('TransactWriteItems');
  proxy.lose('TransactWriteItems', 1);
  const result = await store.write(row.write(pk), [lock]);
  expect(proxy.count('TransactWriteItems')).toBe(before + 2);
  expect(result).toStrictEqual({ kind: 'applied' });
  expect(await store.record(at)).toStrictEqual({ pk });
});

it.each(rows.filter(({ behaviour }) => behaviour !== 'a quarantine'))(
  '$behaviour whose every reply is lost is unavailable, and recognised when the same write is tried later',
  async (row) => {
    const pk = await sample.reach(store, row.on);
    const lock: DomainWrite = { ...sample.freshKey(), expect: 'absent', put: { pk } };
    proxy.lose('TransactWriteItems', 2);
    await expect(store.write(row.write(pk), [lock])).rejects.toThrow(StoreUnavailableError);
    expect(await store.write(row.write(pk), [lock])).toStrictEqual({ kind: 'already', claim: await store.read(pk) });
  },
);

it('domain writes that landed without a reply are recognised, although their own conditions fail now', async () => {
  const at = sample.freshKey();
  proxy.lose('TransactWriteItems', 1);
  expect(await store.commit([{ ...at, expect: 'absent', put: { n: 1 } }])).toStrictEqual({ kind: 'applied' });
});

it('the same record, put by somebody else at the same time, is not taken for our own', async () => {
  const at = sample.freshKey();
  const put: DomainWrite = { ...at, expect: 'absent', put: { n: 1 } };
  await store.commit([put]);
  proxy.lose('TransactWriteItems', 1);
  expect(await store.commit([put])).toStrictEqual({ kind: 'blocked', by: [{ ...at, record: { n: 1 } }] });
});

const large = (pk: string) => ({ ...sample.settle(pk), response: { ...sample.RESPONSE, body: randomBytes(10_000) } });
const responseOf = async (pk: string) => {
  const found = await store.read(pk);
  return found?.status === 'done' ? found.response : undefined;
};

it('the bytes of an answer that landed without a reply are written again by the SDK, and kept', async () => {
  const pk = await sample.reach(store, 'executing');
  const settlement = large(pk);
  proxy.lose('PutItem', 1);
  expect(await store.write(settlement)).toStrictEqual({ kind: 'applied' });
  expect((await responseOf(pk))?.body).toStrictEqual(new Uint8Array(settlement.response.body));
});

it('the bytes of an answer whose every reply is lost are given up, and the claim is settled', async () => {
  const pk = await sample.reach(store, 'executing');
  proxy.lose('PutItem', 2);
  expect(await store.write(large(pk))).toMatchObject({ kind: 'applied', answerLost: expect.any(String) });
  expect(await responseOf(pk)).toStrictEqual({ status: 201, headers: { location: '/payments/1' } });
});

it('a settlement with a large answer that landed without a reply leads to its own bytes', async () => {
  const pk = await sample.reach(store, 'executing');
  const settlement = large(pk);
  proxy.lose('UpdateItem', 1);
  const result = await store.write(settlement);
  expect(result).toStrictEqual({ kind: 'already', claim: await store.read(pk) });
  expect((await responseOf(pk))?.body).toStrictEqual(new Uint8Array(settlement.response.body));
});
