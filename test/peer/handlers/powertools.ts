import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { charge, FAIL_HEADER, type Order } from './bank-client.ts';

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** Set up as its documentation shows; whatever is not named here has its default. */
const persistenceStore = new DynamoDBPersistenceLayer({ tableName: String(process.env['TABLE_NAME']) });
const config = new IdempotencyConfig({
  eventKeyJmesPath: 'headers."idempotency-key"',
  payloadValidationJmesPath: 'body',
});

async function pay(event: Event, _context: Context): Promise<Result> {
  const order = JSON.parse(event.body ?? '') as Order; // The scenarios send nothing else.
  const key = String(event.headers['idempotency-key']);
  const charged = await charge(String(process.env['BANK_URL']), { ...order, reference: key }, key);
  if (event.headers[FAIL_HEADER]) throw new Error('Something failed after the charge');
  return { statusCode: 201, body: JSON.stringify({ payment: charged.id, ...order }) };
}

const idempotent = makeHandlerIdempotent({ persistenceStore, config });

export const handler = middy<Event, Result>().use(idempotent).handler(pay);

/** With an early time-out that leaves time for what is done about it; Middy's default leaves 5 ms. */
export const earlyHandler = middy<Event, Result>({ timeoutEarlyInMillis: 200 }).use(idempotent).handler(pay);

/** The other way to use it, without Middy. */
export const wrappedHandler = makeIdempotent(pay, { persistenceStore, config });
