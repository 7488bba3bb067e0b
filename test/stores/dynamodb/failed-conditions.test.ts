import { GetCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from 'vitest';
import type { Claim } from '../../../lib/idempotency/claim.ts';
import type { DomainWrite } from '../../../lib/idempotency/store.ts';
import { claim, claimed, EXPIRES_AT, GATE, gate, RESPONSE, settle } from '../../contract/samples.ts';
import { awsError, cancelled, conditionFailed, item, marshalled, mockedStore } from './mocked-store.ts';

const mine = claimed('pk');
const rivals = claimed('pk', 'op-2', 'rival');
const gated: Claim = { ...mine, status: 'executing', gate: GATE };
const { leaseUntil: _l, dueAt: _d, attempts: _a, ...identity } = claimed('pk');
const done = {
  ...identity,
  status: 'done',
  gate: GATE,
  outcome: settle('pk').outcome,
  response: RESPONSE,
  settledBy: 'owner',
  expiresAt: EXPIRES_AT,
} as Claim;
const order: DomainWrite = { table: 'orders', key: 'o-1', expect: 'absent', put: { by: 'me' } };
const orderFound = { Code: 'ConditionalCheckFailed', Item: marshall({ pk: 'orders/o-1', record: { by: 'rival' } }) };
const held = { Code: 'None' };

it('a claim that meets my own item was mine all along', async () => {
  const { store, dynamo } = mockedStore();
  dynamo.on(PutCommand).rejects(conditionFailed(mine));
  expect(await store.write(claim(mine))).toStrictEqual({ kind: 'already', claim: mine });
  expect(dynamo.commandCalls(GetCommand)).toHaveLength(0);
});

it('a settlement that meets my own item was mine all along', async () => {
  const { store, dynamo } = mockedStore();
  dynamo.on(UpdateCommand).rejects(conditionFailed(done));
  expect(await store.write(settle('pk'))).toStrictEqual({ kind: 'already', claim: done });
});

// K2
it('a failed condition without an item is looked up with a consistent read', async () => {
  const { store, dynamo } = mockedStore();
  dynamo.on(PutCommand).rejects(conditionFailed());
  dynamo.on(GetCommand).resolves({ Item: item(rivals) });
  expect(await store.write(claim(mine))).toStrictEqual({ kind: 'refused', found: rivals });
  expect(dynamo.commandCalls(GetCommand).map(({ args }) => args[0].input)).toStrictEqual([
    { TableName: 'claims', Key: { pk: 'pk' }, ConsistentRead: true },
  ]);
});

it('a claim whose obstacle is gone by the time of the look-up is tried again', async () => {
  const { store, dynamo, pauses } = mockedStore();
  dynamo.on(PutCommand).rejectsOnce(conditionFailed()).resolves({});
  dynamo.on(GetCommand).resolves({});
  expect(await store.write(claim(mine))).toStrictEqual({ kind: 'applied' });
  expect(pauses).toHaveLength(1);
});

it('a transaction whose claim shows that it has landed is applied, whatever its domain conditions say now', async () => {
  const { store, dynamo } = mockedStore();
  const own = { Code: 'ConditionalCheckFailed', Item: marshalled(gated) };
  dynamo.on(TransactWriteCommand).rejects(cancelled(own, orderFound));
  expect(await store.write(gate('pk'), [order])).toStrictEqual({ kind: 'already', claim: gated });
});

it('a transaction whose claim was changed by another is refused', async () => {
  const { store, dynamo } = mockedStore();
  const other = { Code: 'ConditionalCheckFailed', Item: marshalled(rivals) };
  dynamo.on(TransactWriteCommand).rejects(cancelled(other, held));
  expect(await store.write(gate('pk'), [order])).toStrictEqual({ kind: 'refused', found: rivals });
});

it('a transaction of which only the domain conditions failed is blocked by the records found', async () => {
  const { store, dynamo } = mockedStore();
  dynamo.on(TransactWriteCommand).rejects(cancelled(held, orderFound));
  const by = [{ table: 'orders', key: 'o-1', record: { by: 'rival' } }];
  expect(await store.write(gate('pk'), [order])).toStrictEqual({ kind: 'blocked', by });
});

it('a domain record that did not come with the failed condition is looked up with a consistent read', async () => {
  const { store, dynamo } = mockedStore();
  dynamo.on(TransactWriteCommand).rejects(cancelled({ Code: 'ConditionalCheckFailed' }, { Code: 'None' }));
  dynamo
    .on(GetCommand, { TableName: 'claims', Key: { pk: 'orders/o-1' }, ConsistentRead: true })
    .resolves({ Item: { pk: 'orders/o-1', record: { by: 'rival' } } });
  const result = await store.commit([order, { ...order, key: 'o-2' }]);
  expect(result).toStrictEqual({ kind: 'blocked', by: [{ table: 'orders', key: 'o-1', record: { by: 'rival' } }] });
});

it('an error is known by its name, not by its class', async () => {
  const { store, dynamo } = mockedStore();
  dynamo.on(PutCommand).rejects(awsError('ConditionalCheckFailedException', { Item: marshalled(rivals) }));
  expect((await store.write(claim(mine))).kind).toBe('refused');
});
