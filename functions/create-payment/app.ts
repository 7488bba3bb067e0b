import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { fromEvent, jwtPrincipal, toResult } from '../../lib/http/api-gateway-v2.ts';
import { problemResponse } from '../../lib/idempotency/problems.ts';
import type { ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import type { Ambient } from '../../lib/idempotency/time.ts';
import { idempotency, type OperationContext } from '../../lib/middy/idempotency.ts';
import { problemErrors } from '../../lib/middy/problem-errors.ts';
import type { PaymentCommand } from '../../lib/payments/command.ts';
import { paymentEffect } from '../../lib/payments/effect.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import { type MaximumAmounts, readPayment } from '../../lib/payments/request.ts';

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** Last resort: `perform` leaves in good time by itself, so this only fires when something else hangs. */
const TIMEOUT_EARLY_MS = 200;

export interface Dependencies {
  readonly store: Store;
  readonly provider: PaymentProvider;
  readonly ambient: Ambient;
  readonly docsBase: string;
  readonly retentionMs?: number;
  readonly tenantClaim?: string | undefined;
  readonly maximumAmounts?: MaximumAmounts;
  readonly observe?: (event: ProtocolEvent) => void;
  readonly onUnexpected?: (error: unknown) => void;
}

interface PaymentContext extends Context {
  readonly command: PaymentCommand;
}

/** `POST /payments`: everything that may refuse a request, then the claim, then the charge. */
export function createHandler(dependencies: Dependencies) {
  const { provider, docsBase, tenantClaim, onUnexpected = () => {}, ...rest } = dependencies;
  const principal = jwtPrincipal(tenantClaim);
  return middy<Event, Result>({ timeoutEarlyInMillis: TIMEOUT_EARLY_MS })
    .use(problemErrors({ docsBase, onUnexpected }))
    .use(paymentReader(dependencies))
    .use(
      idempotency({
        ...rest,
        docsBase,
        principal,
        effect: paymentEffect(provider, docsBase),
        keyStatusPath: (key) => `/idempotency-keys/${encodeURIComponent(key)}`,
      }),
    )
    .handler((_event, context) => {
      // Both were put there by the middlewares above.
      const { operation, command } = context as OperationContext<PaymentCommand> & PaymentContext;
      return operation.perform(command);
    });
}

/** Validates the payment before anything is claimed, and hands it to the handler. */
function paymentReader({ docsBase, tenantClaim, maximumAmounts }: Dependencies): MiddlewareObj<Event, Result> {
  const principalOf = jwtPrincipal(tenantClaim);
  return {
    before(request) {
      const http = fromEvent(request.event, principalOf);
      const reading = readPayment(http, maximumAmounts);
      if (reading.kind === 'refused') {
        return toResult(problemResponse(reading.problem, { docsBase, instance: http.instance }));
      }
      const command: PaymentCommand = { tenant: http.principal?.tenant ?? null, ...reading.payment };
      request.context = Object.assign(Object.create(request.context) as PaymentContext, { command });
      return undefined;
    },
  };
}
