import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { fromEvent, toResult } from '../../lib/http/api-gateway-v2.ts';
import { jsonResponse } from '../../lib/http/json-response.ts';
import { type Problem, problemResponse } from '../../lib/idempotency/problems.ts';
import type { Protocol, ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import { type OnceResult, once, type WorkEnd } from '../../lib/middy/once.ts';
import { problemErrors } from '../../lib/middy/problem-errors.ts';
import { paymentEffect } from '../../lib/payments/effect.ts';
import type { PaymentEvent } from '../../lib/payments/outbox.ts';
import { PAYMENT_PROBLEMS } from '../../lib/payments/problems.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import type { ReceiptQueue } from '../../lib/payments/receipts.ts';
import { type EventReading, readEvent } from '../../lib/payments/stripe/events.ts';
import { heed } from '../../lib/payments/webhook.ts';

/** What became of a delivery. */
export type WebhookEvent =
  | { readonly kind: 'webhook-refused'; readonly reason: string }
  | {
      readonly kind: 'webhook-ignored' | 'webhook-unfinished';
      readonly event: string;
      readonly type: string;
      readonly reason: string;
    };

export interface Dependencies extends Omit<Protocol, 'observe'> {
  readonly provider: PaymentProvider;
  readonly receipts: ReceiptQueue;
  readonly docsBase: string;
  /** Signing secret of the endpoint; asked for each delivery, so that it can be rotated. */
  readonly webhookSecret: () => Promise<string>;
  readonly observe: (event: ProtocolEvent | PaymentEvent | WebhookEvent) => void;
  readonly onUnexpected: (error: unknown) => void;
}

/** Stripe delivers again for three days and an operator may for thirty; the dedupe must outlive both. */
const EVENT_RETENTION_MS = 35 * 24 * 60 * 60 * 1_000;

/** Last resort: every call ends in good time by itself. */
const TIMEOUT_EARLY_MS = 200;

/** How soon an event that could not be worked off is of use again; Stripe itself waits longer. */
const RETRY_UNDONE_MS = 5_000;

type Result = APIGatewayProxyStructuredResultV2;
type Genuine = Extract<EventReading, { readonly kind: 'hint' }>;

/**
 * `POST /webhooks/stripe`: the signature first, then the dedupe by event id, then the work that the event hints at.
 * Anything but 2xx makes Stripe deliver again, so 2xx is answered for work that is done, and for events of others.
 */
export function createHandler(dependencies: Dependencies) {
  const { ambient, docsBase, webhookSecret, observe, onUnexpected } = dependencies;
  const effect = paymentEffect(dependencies.provider, docsBase);
  const deps = { ...dependencies, effect };
  const deduped: Protocol = { ...dependencies, retentionMs: EVENT_RETENTION_MS };

  const work = async ({ id: event, type, hint }: Genuine, context: Context): Promise<WorkEnd> => {
    const heeded = await heed(deps, hint, budgetOf(context));
    if (heeded.kind === 'undone') return heeded;
    if (heeded.kind === 'foreign')
      observe({ kind: 'webhook-ignored', event, type, reason: 'nothing here is its payment' });
    return { kind: 'done' };
  };

  const answer = ({ id: event, type }: Genuine, end: OnceResult): Result | Problem => {
    switch (end.kind) {
      case 'done':
      case 'already-done':
        return received(end.kind);
      case 'busy':
        observe({ kind: 'webhook-unfinished', event, type, reason: 'another delivery is at it, or time is short' });
        return unfinished(end.retryAfterMs);
      case 'undone':
        observe({ kind: 'webhook-unfinished', event, type, reason: end.reason });
        return unfinished(RETRY_UNDONE_MS);
    }
  };

  return middy<APIGatewayProxyEventV2, Result>({ timeoutEarlyInMillis: TIMEOUT_EARLY_MS })
    .use(problemErrors({ docsBase, onUnexpected }))
    .handler(async (request, context) => {
      const { body, header, instance } = fromEvent(request, () => undefined);
      const delivery = { body, signature: header('stripe-signature')[0] };
      const reading = readEvent(delivery, await webhookSecret(), ambient.now());
      switch (reading.kind) {
        case 'refused':
          observe({ kind: 'webhook-refused', reason: reading.reason });
          return toResult(problemResponse(refused(reading.reason), { docsBase, instance }));
        case 'ignored':
          observe({ kind: 'webhook-ignored', event: reading.id, type: reading.type, reason: reading.reason });
          return received('ignored');
        case 'hint': {
          const unit = { scope: 'events', key: reading.id, budget: budgetOf(context) };
          const result = answer(reading, await once(deduped, unit, () => work(reading, context)));
          return 'type' in result ? toResult(problemResponse(result, { docsBase, instance })) : result;
        }
      }
    });
}

const budgetOf = (context: Context) => ({ remainingMs: () => context.getRemainingTimeInMillis() });

const received = (result: string): Result => toResult(jsonResponse(200, { result }));

const refused = (reason: string): Problem => ({
  type: PAYMENT_PROBLEMS.webhookRefused,
  detail: `The event was refused: ${reason}.`,
});

const unfinished = (retryAfterMs: number): Problem => ({
  type: PAYMENT_PROBLEMS.webhookUnfinished,
  detail: 'The event is not worked off yet. Deliver it again.',
  retryAfterSeconds: Math.ceil(retryAfterMs / 1_000),
});
