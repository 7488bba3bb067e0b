import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../lib/idempotency/errors.ts';
import type { DomainWrite } from '../../../lib/idempotency/store.ts';
import { claim, claimed, gate, NOW, release } from '../../contract/samples.ts';
import { awsError, cancelled, item, mockedStore } from './mocked-store.ts';

const order: DomainWrite = { table: 'orders', key: 'o-1', expect: 'absent', put: {} };

it.each([
  ['ProvisionedThroughputExceededException', /throttled: retry later with the same key/],
  ['ThrottlingException', /throttled/],
  ['RequestLimitExceeded', /throttled/],
  ['AccessDeniedException', /Grant the function access to the table and its index/],
  ['UnrecognizedClientException', /Grant/],
  ['CredentialsProviderError', /credentials/],
  ['ResourceNotFoundException', /Deploy the table, and check the configured table name/],
  ['ValidationException', /no item exceeds 400 kB/],
  ['IdempotentParameterMismatchException', /ids must be fresh/],
  ['InternalServerError', /unknown whether a write took effect: retry later with the same key/],
  ['TimeoutError', /unknown whether a write took effect/],
  ['TypeError', /unknown whether a write took effect/],
])('%s is unavailable, never a lost condition, and says what to do', async (name, advice) => {
  const { store, dynamo } = mockedStore();
  const cause = awsError(name);
  dynamo.onAnyCommand().rejects(cause);
  const calls = [
    store.read('pk'),
    store.record(order),
    store.write(claim(claimed('pk'))),
    store.write(gate('pk')),
    store.write(release('pk')),
    store.write(gate('pk'), [order]),
    store.commit([order]),
    store.due(0, NOW, 10),
  ];
  for (const result of await Promise.allSettled(calls)) {
    const reason = result.status === 'rejected' ? result.reason : undefined;
    expect(reason).toBeInstanceOf(StoreUnavailableError);
    expect(reason).toMatchObject({ code: 'store-unavailable', cause, message: expect.stringMatching(advice) });
    expect(reason.message).toContain('"claims"');
    expect(reason.message).toContain(name);
  }
});

it('an error of a single write is not tried again by the store: the SDK has done that', async () => {
  const { store, dynamo, pauses } = mockedStore();
  dynamo.on(PutCommand).rejects(awsError('InternalServerError'));
  await expect(store.write(claim(claimed('pk')))).rejects.toThrow(StoreUnavailableError);
  expect(dynamo.commandCalls(PutCommand)).toHaveLength(1);
  expect(pauses).toStrictEqual([]);
});

it.each([
  ['throttling', cancelled({ Code: 'ThrottlingError' }, { Code: 'None' })],
  ['throttling beside a failed condition', cancelled({ Code: 'ThrottlingError' }, { Code: 'ConditionalCheckFailed' })],
  ['no reason at all', awsError('TransactionCanceledException')],
  ['reasons without codes', awsError('TransactionCanceledException', { CancellationReasons: [{}, {}] })],
])('a transaction that was cancelled for %s is unavailable', async (_, error) => {
  const { store, dynamo } = mockedStore();
  dynamo.on(GetCommand).resolves({ Item: item(claimed('pk')) });
  dynamo.on(TransactWriteCommand).rejects(error);
  await expect(store.write(gate('pk'), [order])).rejects.toMatchObject({ code: 'store-unavailable', cause: error });
});

it('an item that is no claim is never treated as one', async () => {
  const { store, dynamo } = mockedStore();
  dynamo
    .on(GetCommand)
    .resolvesOnce({ Item: { pk: 'pk' } })
    .resolves({ Item: { pk: 'pk', v: 1, status: 'paid' } });
  await expect(store.read('pk')).rejects.toThrow(/"pk" is no claim \(v undefined, status undefined\)/);
  await expect(store.read('pk')).rejects.toThrow(/"pk" is no claim \(v 1, status paid\)/);
});

it('a page without items is an empty page', async () => {
  const { store, dynamo } = mockedStore();
  dynamo.on(QueryCommand).resolves({});
  expect(await store.due(0, NOW, 10)).toStrictEqual({ due: [] });
});

it('a write without domain writes is one request', async () => {
  const { store, dynamo } = mockedStore();
  dynamo.on(UpdateCommand).resolves({ Attributes: item(claimed('pk')) });
  dynamo.on(PutCommand).resolves({}).on(DeleteCommand).resolves({});
  await store.write(claim(claimed('pk')));
  await store.write(gate('pk'));
  await store.write(release('pk'));
  expect(dynamo.calls()).toHaveLength(3);
});
