import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../lib/idempotency/errors.ts';
import type { DomainWrite } from '../../../lib/idempotency/store.ts';
import { claim, claimed, gate } from '../../contract/samples.ts';
import { awsError, cancelled, type MockedStore, mockedStore } from './mocked-store.ts';

const order: DomainWrite = { table: 'orders', key: 'o-1', expect: 'absent', put: {} };
const conflict = cancelled({ Code: 'TransactionConflict' }, { Code: 'None' });
const tokens = ({ dynamo }: MockedStore) =>
  dynamo.commandCalls(TransactWriteCommand).map(({ args }) => args[0].input.ClientRequestToken);

it('a claim that meets a transaction under way is tried again', async () => {
  const { store, dynamo, pauses } = mockedStore();
  dynamo.on(PutCommand).rejectsOnce(awsError('TransactionConflictException')).resolves({});
  expect((await store.write(claim(claimed('pk')))).kind).toBe('applied');
  expect(pauses).toStrictEqual([24]);
});

it('a transaction that meets another is tried again under a new token, without a read', async () => {
  const mocked = mockedStore();
  mocked.dynamo.on(TransactWriteCommand).rejectsOnce(conflict).resolves({});
  expect((await mocked.store.write(gate('pk'), [order])).kind).toBe('applied');
  expect(tokens(mocked)).toStrictEqual(['id-1', 'id-2']);
  expect(mocked.dynamo.commandCalls(GetCommand)).toHaveLength(0);
});

it('a conflict beside a failed condition is tried again, not read as lost', async () => {
  const { store, dynamo } = mockedStore();
  const mixed = cancelled({ Code: 'ConditionalCheckFailed' }, { Code: 'TransactionConflict' });
  dynamo.on(TransactWriteCommand).rejectsOnce(mixed).resolves({});
  expect(await store.commit([order, { ...order, key: 'o-2' }])).toStrictEqual({ kind: 'applied' });
});

it('a transaction whose earlier attempt is still under way is tried again under the same token', async () => {
  const mocked = mockedStore();
  mocked.dynamo.on(TransactWriteCommand).rejectsOnce(awsError('TransactionInProgressException')).resolves({});
  expect(await mocked.store.commit([order])).toStrictEqual({ kind: 'applied' });
  expect(tokens(mocked)).toStrictEqual(['id-1', 'id-1']);
});

it('conflicts without an end are unavailable after six tries with growing pauses', async () => {
  const { store, dynamo, pauses } = mockedStore();
  dynamo.on(TransactWriteCommand).rejects(conflict);
  const refused = store.commit([order]);
  await expect(refused).rejects.toThrow(StoreUnavailableError);
  await expect(refused).rejects.toThrow(/through 6 tries. Retry later with the same key/);
  expect(dynamo.commandCalls(TransactWriteCommand)).toHaveLength(6);
  expect(pauses).toStrictEqual([24, 49, 99, 199, 399]);
});
