import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { dynamoDbStore } from '../../../lib/entry/dynamodb.ts';
import { idempotency, type OperationContext } from '../../../lib/entry/main.ts';
import { FAIL_HEADER, type Order } from './bank-client.ts';
import { bankEffect, type Command, sendingOnce } from './bank-effect.ts';

const store = dynamoDbStore({ tableName: String(process.env['TABLE_NAME']) });
const effect = bankEffect(String(process.env['BANK_URL']), process.env['BANK_DEDUPES'] === 'yes');

export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>({ timeoutEarlyInMillis: 200 })
  .use(idempotency({ store, effect, docsBase: 'https://api.example.com' }))
  .handler(async (event, context) => {
    const { operation } = context as OperationContext<Command>; // The middleware put it there.
    const { orderId, amount } = JSON.parse(event.body ?? '') as Order; // The scenarios send nothing else.
    const answer = await sendingOnce(operation.id, () => operation.perform({ orderId, amount }));
    if (event.headers[FAIL_HEADER]) throw new Error('Something failed after the charge');
    return answer as APIGatewayProxyStructuredResultV2; // Written for this front door.
  });
