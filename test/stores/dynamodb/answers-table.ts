import { randomUUID } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { PARTITION_KEY } from '../../../lib/contract/table.ts';
import type { KeptResponse } from '../../../lib/idempotency/claim.ts';
import type { Store } from '../../../lib/idempotency/store.ts';
import type { Item } from '../../../lib/stores/dynamodb/item.ts';
import { dynamoDbStore } from '../../../lib/stores/dynamodb/store.ts';
import { claim, freshPk, RESPONSE, settle, ungated } from '../../contract/samples.ts';
import { type Engine, startEngine } from '../../support/engine.ts';

/** What a claim keeps of the sample answer when its bytes are elsewhere. */
export const OUTLINE = { status: 201, headers: { location: '/payments/1' } };

/** A settlement of a plain handler's claim. */
export const answered = (pk: string, body: Uint8Array) =>
  ({ ...settle(pk), outcome: { result: 'answered' }, response: { ...RESPONSE, body } }) as const;

export const isPart = ({ Item }: Item): boolean =>
  String((Item as Item | undefined)?.[PARTITION_KEY]).startsWith('#answer/');

interface Command {
  readonly input: Item;
  readonly constructor: { readonly name: string };
}

export type AnswersTable = Awaited<ReturnType<typeof answersTable>>;

/** A table, and a look past the store at what the store has put into it. */
export async function answersTable() {
  const engine: Engine = await startEngine();
  const { client, tableName } = engine;
  const ambient = { id: randomUUID, random: () => 0, sleep: async () => {} };

  const storeOf = (through: DynamoDBDocumentClient = client): Store =>
    dynamoDbStore({ client: through, tableName, ambient });

  return {
    client,
    tableName,
    stop: () => engine.stop(),
    store: storeOf,

    /** A client that does to some requests what the table would not; where `meet` has no answer, the table has one. */
    intercepted(meet: (input: Item, name: string, signal?: AbortSignal) => unknown): DynamoDBDocumentClient {
      const send = async (command: Command, options?: { readonly abortSignal?: AbortSignal }) =>
        (await meet(command.input, command.constructor.name, options?.abortSignal)) ??
        client.send(command as never, options as never);
      return { send } as unknown as DynamoDBDocumentClient; // The store calls nothing else.
    },

    async partsOf(pk: string): Promise<readonly Item[]> {
      const found: Item[] = [];
      const filter = { FilterExpression: 'contains(pk, :pk)', ExpressionAttributeValues: { ':pk': pk } };
      const scan = { TableName: tableName, ConsistentRead: true, ...filter };
      for await (const { Items = [] } of paginateScan({ client }, scan)) found.push(...Items);
      return found.filter((item) => item[PARTITION_KEY] !== pk);
    },

    async claimItem(pk: string): Promise<Item> {
      const { Item = {} } = await client.send(new GetCommand({ TableName: tableName, Key: { pk } }));
      return Item;
    },

    async settled(body: Uint8Array, store = storeOf()): Promise<string> {
      const pk = freshPk();
      await store.write(claim(ungated(pk)));
      await store.write(answered(pk, body));
      return pk;
    },

    async responseOf(pk: string): Promise<KeptResponse> {
      const found = await storeOf().read(pk);
      if (found?.status !== 'done') throw new Error(`It is ${found?.status}.`);
      return found.response;
    },
  };
}
