import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { PARTITION_KEY } from '../../contract/table.ts';
import { unavailable } from './failure.ts';
import type { Action } from './inputs.ts';
import type { Item } from './item.ts';

/** The requests that are made of one table. */
export interface Table {
  readonly name: string;
  /** A strongly consistent read; what is no definite answer is thrown as `StoreUnavailableError`. */
  get(pk: string): Promise<Item | undefined>;
  /** The same for a page of a query. */
  query(input: QueryCommandInput): Promise<{ readonly items: readonly Item[]; readonly lastKey?: Item }>;
  /** One action in a request of its own, given up when the signal says so; throws what the SDK throws. */
  send(action: Action, abortSignal?: AbortSignal): Promise<unknown>;
  /** All or none of them; the token makes repetitions of one transaction one. */
  sendTogether(actions: readonly Action[], token: string): Promise<unknown>;
}

export function tableOf(client: DynamoDBDocumentClient, name: string): Table {
  const definite = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw unavailable(error, name);
    }
  };
  return {
    name,
    async get(pk) {
      const input = { TableName: name, Key: { [PARTITION_KEY]: pk }, ConsistentRead: true };
      return (await definite(client.send(new GetCommand(input)))).Item;
    },
    async query(input) {
      const { Items = [], LastEvaluatedKey } = await definite(client.send(new QueryCommand(input)));
      return { items: Items, ...(LastEvaluatedKey !== undefined && { lastKey: LastEvaluatedKey }) };
    },
    send(action, abortSignal) {
      const options = abortSignal && { abortSignal };
      if ('Put' in action) return client.send(new PutCommand(action.Put), options);
      if ('Delete' in action) return client.send(new DeleteCommand(action.Delete), options);
      return client.send(new UpdateCommand(action.Update), options);
    },
    sendTogether: (actions, token) =>
      client.send(new TransactWriteCommand({ TransactItems: [...actions], ClientRequestToken: token })),
  };
}
