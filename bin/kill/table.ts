import { zstdDecompressSync } from 'node:zlib';
import { unmarshall } from '@aws-sdk/util-dynamodb';

export type Item = Readonly<Record<string, unknown>> & { readonly pk: string };

/** Everything in the only table, read past the proxy. */
export interface Table {
  /** By address: claims of clients, of events and of jobs. */
  readonly claims: ReadonlyMap<string, Item>;
  /** By the operation that holds them. */
  readonly orders: readonly Item[];
  readonly payments: readonly Item[];
}

interface Page {
  readonly Items: readonly Parameters<typeof unmarshall>[0][];
  readonly LastEvaluatedKey?: object;
}

export async function readTable(engineUrl: string): Promise<Table> {
  const { TableNames } = (await ask(engineUrl, 'ListTables', {})) as { TableNames: readonly string[] };
  const items: Item[] = [];
  let from: object | undefined;
  do {
    const start = from === undefined ? {} : { ExclusiveStartKey: from };
    const page = (await ask(engineUrl, 'Scan', { TableName: TableNames[0], ConsistentRead: true, ...start })) as Page;
    items.push(...page.Items.map((item) => unmarshall(item) as Item));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  const named = (prefix: string) => items.filter(({ pk }) => pk.startsWith(prefix));
  return {
    claims: new Map(items.filter(({ pk }) => !pk.includes('/')).map((item) => [item.pk, item])),
    orders: named('orders/'),
    payments: named('payments/'),
  };
}

/** The record that a domain item holds. */
export const recordOf = (item: Item): Readonly<Record<string, unknown>> =>
  item['record'] as Readonly<Record<string, unknown>>;

export interface StoredAnswer {
  readonly status: number;
  /** Undefined where the bytes are kept beside the claim, which no payment's answer is large enough for. */
  readonly text: string | undefined;
}

/** The answer that a settled claim holds: as it is, or compressed behind its headers. */
export function storedAnswer({ response }: Item): StoredAnswer {
  const { status, body, packed, head } = response as {
    readonly status: number;
    readonly body?: string;
    readonly packed?: string;
    readonly head?: number;
  };
  if (body !== undefined) return { status, text: Buffer.from(body, 'base64').toString() };
  if (packed === undefined) return { status, text: undefined };
  return { status, text: zstdDecompressSync(Buffer.from(packed, 'base64')).subarray(head).toString() };
}

/** Claims of clients, not of events or jobs, whose scope is a plain name. */
export const isClientClaim = ({ fingerprint }: Item): boolean => fingerprint !== 'once';

async function ask(engineUrl: string, operation: string, input: object): Promise<unknown> {
  const response = await fetch(engineUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      // The engine wants a signature and looks at none.
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`The engine answered ${response.status} to ${operation}: ${await response.text()}`);
  return response.json();
}
