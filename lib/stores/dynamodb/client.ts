import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * A claim that cannot be written must fail early enough for a function of 4 s to answer 503 itself:
 * 2 attempts of 1,200 ms and one back-off of the SDK (at most 50 ms, or 1,000 ms after an attempt that was throttled,
 * which answers at once) end within 2.5 s.
 */
const ATTEMPTS = 2;
/** One attempt from its start to the response's headers, the connection included. DynamoDB answers within some 10 ms. */
const REQUEST_MS = 1_200;
/** A connection within a region takes some 10 ms, with TLS on a small function's cold start some 100 ms. */
const CONNECTION_MS = 500;
/** One environment serves one request, and a reconciler some tens of claims at a time. */
const SOCKETS_MAX = 50;

export interface DynamoDbClientOptions {
  /** @default the SDK's own sources, on Lambda AWS_REGION */
  readonly region?: string;
  /** @default the SDK's own sources: AWS_ENDPOINT_URL_DYNAMODB, then the region's endpoint */
  readonly endpoint?: string;
  /** @default the SDK's own chain, on Lambda the function's role */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /**
   * Milliseconds that one of the two attempts may take.
   * @default 1200
   */
  readonly requestMs?: number;
}

/**
 * A DynamoDB client that gives up within 2.5 s: the SDK's own defaults wait without an end.
 *
 * Make it once per environment, outside the handler, so that its connections are kept alive between invocations.
 *
 * @example
 * const store = dynamoDbStore({ client: dynamoDbClient(), tableName, ambient });
 * @see https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/node-reusing-connections.html
 */
export function dynamoDbClient(options: DynamoDbClientOptions = {}): DynamoDBDocumentClient {
  const { requestMs = REQUEST_MS, ...given } = options;
  const agent = { keepAlive: true, maxSockets: SOCKETS_MAX };
  const config: DynamoDBClientConfig = {
    ...given,
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true, // Without it the SDK only logs a warning and waits on.
      socketTimeout: requestMs, // The request's time-out ends with the headers; a body may stall after them.
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
  return DynamoDBDocumentClient.from(new DynamoDBClient(config), {
    marshallOptions: { removeUndefinedValues: true },
  });
}
