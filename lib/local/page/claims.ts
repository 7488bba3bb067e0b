import { type AttributeValue, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { DUE_INDEX, PARTITION_KEY, TTL_ATTRIBUTE } from '../../contract/table.ts';
import type { TableClientOptions } from '../create-tables.ts';
import type { TableModel } from '../template/service-model.ts';
import type { ClaimView } from './wire.ts';

/** What a screen can show. */
const CLAIMS_MAX = 100;

/** A scan reads everything; beyond this a local table has been filled by a load test, and a part of it will do. */
const PAGES_MAX = 10;

/** Answers may be large and nobody looks at them here. */
const READ = {
  '#pk': PARTITION_KEY,
  '#ttl': TTL_ATTRIBUTE,
  '#status': 'status',
  '#response': 'response',
  '#outcome': 'outcome',
  '#result': 'result',
  '#command': 'command',
  '#operation': 'operation',
};
const PROJECTION =
  '#pk, #ttl, #status, #operation, createdAt, leaseUntil, attempts, quarantine, settledBy, #command, ' +
  '#outcome.#result, #response.#status';

export interface Claims {
  /** The newest claims first. */
  read(): Promise<readonly ClaimView[]>;
  close(): void;
}

/** Reads the claims of the local table. Only for this machine: a scan of a real table costs real money. */
export function createClaims(tables: readonly TableModel[], { url, region, credentials }: TableClientOptions): Claims {
  const table = tables.find(({ globalIndexes }) => globalIndexes.some(({ IndexName }) => IndexName === DUE_INDEX));
  const client = new DynamoDBClient({
    endpoint: url,
    region,
    credentials: {
      accessKeyId: credentials['AWS_ACCESS_KEY_ID'] ?? 'local',
      secretAccessKey: credentials['AWS_SECRET_ACCESS_KEY'] ?? 'local',
      ...(credentials['AWS_SESSION_TOKEN'] && { sessionToken: credentials['AWS_SESSION_TOKEN'] }),
    },
    maxAttempts: 1,
  });
  return {
    read: async () => {
      if (table === undefined) return [];
      const items = await scan(client, table.name);
      const claims = items.map((item) => toView(unmarshall(item))).filter((claim) => claim !== undefined);
      return claims.sort((a, b) => b.createdAt - a.createdAt).slice(0, CLAIMS_MAX);
    },
    close: () => client.destroy(),
  };
}

async function scan(client: DynamoDBClient, tableName: string): Promise<Record<string, AttributeValue>[]> {
  const items: Record<string, AttributeValue>[] = [];
  let from: Record<string, AttributeValue> | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await client.send(
      new ScanCommand({
        TableName: tableName,
        ConsistentRead: true,
        ProjectionExpression: PROJECTION,
        FilterExpression: 'attribute_exists(#status)',
        ExpressionAttributeNames: READ,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    items.push(...(found.Items ?? []));
    from = found.LastEvaluatedKey;
    if (from === undefined) break;
  }
  return items;
}

const STATUSES: readonly unknown[] = ['claimed', 'executing', 'unknown', 'done'] satisfies ClaimView['status'][];
const isStatus = (status: unknown): status is ClaimView['status'] => STATUSES.includes(status);

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function toView(item: Readonly<Record<string, unknown>>): ClaimView | undefined {
  const { status, outcome, response } = item;
  if (!isStatus(status)) return undefined;
  const ttl = number(item[TTL_ATTRIBUTE]);
  return {
    address: String(item[PARTITION_KEY]),
    operation: String(item['operation']),
    status,
    createdAt: number(item['createdAt']) ?? 0,
    orderId: orderIdOf(text(item['command'])),
    leaseUntil: number(item['leaseUntil']),
    attempts: number(item['attempts']) ?? 0,
    quarantine: text(item['quarantine']),
    result: text(member(outcome, 'result')),
    answered: number(member(response, 'status')),
    settledBy: text(item['settledBy']),
    expiresAt: ttl === null ? null : ttl * 1000,
  };
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

function orderIdOf(command: string | null): string | null {
  if (command === null) return null;
  return text(member(JSON.parse(command), 'orderId'));
}
