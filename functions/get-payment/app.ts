import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { fromEvent, jwtPrincipal, toResult } from '../../lib/http/api-gateway-v2.ts';
import { jsonResponse } from '../../lib/http/json-response.ts';
import { problemResponse } from '../../lib/idempotency/problems.ts';
import { scopeOf } from '../../lib/idempotency/scope.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import { problemErrors } from '../../lib/middy/problem-errors.ts';
import { type PaymentRecord, publicPayment } from '../../lib/payments/payment.ts';
import { PAYMENT_PROBLEMS } from '../../lib/payments/problems.ts';
import { paymentAt } from '../../lib/payments/records.ts';

export interface Dependencies {
  readonly store: Pick<Store, 'record'>;
  readonly docsBase: string;
  readonly tenantClaim?: string | undefined;
  readonly onUnexpected?: (error: unknown) => void;
}

/** `GET /payments/{id}`: the payment as it stands now; another principal's does not exist. */
export function createHandler({ store, docsBase, tenantClaim, onUnexpected = () => {} }: Dependencies) {
  const principalOf = jwtPrincipal(tenantClaim);
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
    .use(problemErrors({ docsBase, onUnexpected }))
    .handler(async (event) => {
      const { principal, parameters, instance } = fromEvent(event, principalOf);
      // Only payment records are written to this table, hence the cast.
      const payment = (await store.record(paymentAt(parameters['id'] ?? ''))) as PaymentRecord | undefined;
      if (payment !== undefined && principal !== undefined && payment.scope === scopeOf(principal)) {
        return toResult(jsonResponse(200, publicPayment(payment)));
      }
      const detail = 'No payment of yours has this id.';
      return toResult(problemResponse({ type: PAYMENT_PROBLEMS.paymentNotFound, detail }, { docsBase, instance }));
    });
}
