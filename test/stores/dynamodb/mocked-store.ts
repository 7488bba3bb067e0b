import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import type { Claim } from '../../../lib/idempotency/claim.ts';
import type { Store } from '../../../lib/idempotency/store.ts';
import { toItem } from '../../../lib/stores/dynamodb/item.ts';
import { dynamoDbStore } from '../../../lib/stores/dynamodb/store.ts';

export interface MockedStore {
  readonly store: Store;
  readonly dynamo: ReturnType<typeof mockClient>;
  /** The pauses between tries, in milliseconds. */
  readonly pauses: number[];
}

/** For answers that no engine can be told to give. Chance is always at its highest, time never passes. */
export function mockedStore(): MockedStore {
  const dynamo = mockClient(DynamoDBDocumentClient);
  const pauses: number[] = [];
  let ids = 0;
  const ambient = {
    id: () => `id-${++ids}`,
    random: () => 0.999,
    sleep: async (ms: number) => {
      pauses.push(ms);
    },
  };
  const client = dynamo as unknown as DynamoDBDocumentClient; // The mock has the one method that the store calls.
  return { store: dynamoDbStore({ client, tableName: 'claims', ambient }), dynamo, pauses };
}

export const awsError = (name: string, more: object = {}): Error =>
  Object.assign(new Error(`${name} of the test`), { name, ...more });

export const item = (claim: Claim) => toItem(claim, 8);
export const marshalled = (claim: Claim) => marshall(item(claim), { removeUndefinedValues: true });

export const conditionFailed = (found?: Claim): Error =>
  awsError('ConditionalCheckFailedException', found && { Item: marshalled(found) });

/** One reason for each action of the transaction. */
export const cancelled = (...reasons: readonly { Code: string; Item?: unknown }[]): Error =>
  awsError('TransactionCanceledException', { CancellationReasons: reasons });
