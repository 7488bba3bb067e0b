import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { LocalRunError } from './local-run-error.ts';
import type { TableModel } from './template/service-model.ts';

export interface TableClientOptions {
  readonly url: string;
  readonly region: string;
  readonly credentials: Readonly<Record<string, string>>;
}

/** How long a real account may take to bring a table up. */
const ACTIVE_SECONDS_MAX = 60;

/** Creates the template's tables; one that exists is kept with what it holds. */
export async function createTables(tables: readonly TableModel[], options: TableClientOptions): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: options.url,
    region: options.region,
    credentials: {
      accessKeyId: options.credentials['AWS_ACCESS_KEY_ID'] ?? 'local',
      secretAccessKey: options.credentials['AWS_SECRET_ACCESS_KEY'] ?? 'local',
      ...(options.credentials['AWS_SESSION_TOKEN'] ? { sessionToken: options.credentials['AWS_SESSION_TOKEN'] } : {}),
    },
  });
  try {
    await Promise.all(tables.map((table) => createTable(client, table)));
  } catch (error) {
    throw new LocalRunError('engine-failed', `The tables cannot be created at ${options.url}: ${error}`);
  } finally {
    client.destroy();
  }
}

async function createTable(client: DynamoDBClient, table: TableModel): Promise<void> {
  try {
    await client.send(new CreateTableCommand(createTableInput(table)));
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceInUseException') return;
    throw error;
  }
  await waitUntilTableExists({ client, maxWaitTime: ACTIVE_SECONDS_MAX, minDelay: 1 }, { TableName: table.name });
  if (table.ttlAttribute === undefined) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: table.name,
      TimeToLiveSpecification: { AttributeName: table.ttlAttribute, Enabled: true },
    }),
  );
}

function createTableInput({ name, keySchema, attributes, globalIndexes }: TableModel): CreateTableCommandInput {
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [...keySchema],
    AttributeDefinitions: [...attributes],
    ...(globalIndexes.length === 0
      ? {}
      : {
          GlobalSecondaryIndexes: globalIndexes.map(({ IndexName, KeySchema, Projection }) => ({
            IndexName,
            KeySchema: [...KeySchema],
            Projection: {
              // As the template has it; the service refuses what it does not know.
              ProjectionType: Projection.ProjectionType as 'ALL' | 'KEYS_ONLY' | 'INCLUDE',
              ...(Projection.NonKeyAttributes ? { NonKeyAttributes: [...Projection.NonKeyAttributes] } : {}),
            },
          })),
        }),
  };
}
