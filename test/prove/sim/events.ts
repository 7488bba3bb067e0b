import { createHmac } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ProviderEvent } from './provider.ts';
import type { RequestSpec } from './scenario.ts';

export const WEBHOOK_SECRET = 'whsec_simulation';

const apiEvents = new Map<string, APIGatewayProxyEventV2>();

/** The request as an HTTP API hands it over; equal requests share one event, which nobody may change. */
export function apiEvent(spec: RequestSpec): APIGatewayProxyEventV2 {
  const { subject, key, orderId, amount, paymentMethod } = spec;
  const name = `${subject} ${key} ${orderId} ${amount} ${paymentMethod}`;
  const known = apiEvents.get(name);
  if (known !== undefined) return known;
  const body = JSON.stringify({ orderId, amount, currency: 'UZS', paymentMethod });
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const event = eventOf('/payments', headers, body, { authorizer: { jwt: { claims: { sub: subject }, scopes: [] } } });
  apiEvents.set(name, event);
  return event;
}

/** An event as Stripe delivers it, signed at this moment. */
export function signedEvent({ id, type, intent }: ProviderEvent, nowMs: number): APIGatewayProxyEventV2 {
  const { ref, operation, pk, command } = intent;
  const metadata = { operation, claim: pk, order: command.orderId };
  const object = { id: ref, object: 'payment_intent', status: intent.status, metadata };
  const body = JSON.stringify({ id, object: 'event', type, data: { object } });
  const at = Math.floor(nowMs / 1000);
  const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${at}.${body}`).digest('hex');
  return eventOf('/webhooks/stripe', { 'stripe-signature': `t=${at},v1=${signature}` }, body, {});
}

/** Payload format 2.0, with the members that anybody reads. */
const eventOf = (
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  requestContext: object,
): APIGatewayProxyEventV2 =>
  ({
    version: '2.0',
    routeKey: `POST ${path}`,
    rawPath: path,
    rawQueryString: '',
    headers,
    requestContext: { http: { method: 'POST', path }, requestId: 'request', stage: '$default', ...requestContext },
    body,
    isBase64Encoded: false,
  }) as APIGatewayProxyEventV2;
