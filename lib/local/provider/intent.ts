import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../idempotency/json.ts';
import type { ProcessingEnd, Verdict } from './methods.ts';

export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'canceled';

/** The members of Stripe's PaymentIntent that its clients read. */
export type Intent = {
  readonly id: string;
  readonly object: 'payment_intent';
  readonly amount: number;
  readonly amount_received: number;
  readonly canceled_at: number | null;
  readonly cancellation_reason: string | null;
  readonly client_secret: string;
  /** Seconds, as everywhere at Stripe. */
  readonly created: number;
  readonly currency: string;
  readonly description: string | null;
  readonly last_payment_error: JsonObject | null;
  readonly latest_charge: string | null;
  readonly livemode: false;
  readonly metadata: JsonObject;
  readonly next_action: JsonObject | null;
  readonly payment_method: string | null;
  readonly payment_method_types: readonly string[];
  readonly status: IntentStatus;
};

/** One movement of money. */
export type Movement = {
  readonly amount: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly orderId: string | null;
  readonly operation: string | null;
  readonly tenant: string | null;
  readonly paymentIntent: string;
  /** ISO 8601. */
  readonly at: string;
};

export const randomId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

export interface NewIntent {
  readonly amount: number;
  readonly currency: string;
  readonly paymentMethod: string | null;
  readonly paymentMethodTypes: readonly string[];
  readonly description: string | null;
  readonly metadata: JsonObject;
}

export const newIntent = (from: NewIntent, now: number): Intent => {
  const id = randomId('pi');
  return {
    id,
    object: 'payment_intent',
    amount: from.amount,
    amount_received: 0,
    canceled_at: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${randomBytes(12).toString('hex')}`,
    created: Math.floor(now / 1000),
    currency: from.currency,
    description: from.description,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: from.metadata,
    next_action: null,
    payment_method: from.paymentMethod,
    payment_method_types: from.paymentMethodTypes,
    status: from.paymentMethod === null ? 'requires_payment_method' : 'requires_confirmation',
  };
};

/** What confirming leads to; `error` is what the caller is told besides. */
export interface Confirmed {
  readonly intent: Intent;
  readonly error?: JsonObject;
}

const declined = (intent: Intent, method: string, code: string, declineCode: string): Confirmed => {
  const error = { type: 'card_error', code, decline_code: declineCode, message: 'Your card was declined.' };
  const charge = code === 'authentication_required' ? null : randomId('ch');
  return {
    intent: {
      ...intent,
      status: 'requires_payment_method',
      payment_method: null,
      latest_charge: charge,
      last_payment_error: { ...error, payment_method: { id: method, object: 'payment_method', type: 'card' } },
    },
    error,
  };
};

const succeeded = (intent: Intent): Intent => ({
  ...intent,
  status: 'succeeded',
  amount_received: intent.amount,
  latest_charge: randomId('ch'),
});

/** How a payment that was `processing` ends. */
export const settleIntent = (intent: Intent, end: ProcessingEnd): Intent =>
  end === 'succeeds'
    ? succeeded(intent)
    : declined(intent, String(intent.payment_method), 'card_declined', 'generic_decline').intent;

export const confirmIntent = (intent: Intent, method: string, verdict: Verdict, failOnAction: boolean): Confirmed => {
  const attempted: Intent = { ...intent, payment_method: method, last_payment_error: null };
  switch (verdict.kind) {
    case 'succeeds':
      return { intent: succeeded(attempted) };
    case 'declines':
      return declined(attempted, method, verdict.code, verdict.declineCode);
    case 'processes':
      return { intent: { ...attempted, status: 'processing' } };
    case 'needs-action':
      return failOnAction
        ? declined(attempted, method, 'authentication_required', 'authentication_required')
        : { intent: { ...attempted, status: 'requires_action', next_action: { type: 'use_stripe_sdk' } } };
  }
};

/** Stripe clears `last_payment_error` with every later change of an intent, a cancellation included. */
export const changedIntent = (intent: Intent, changes: Partial<Intent>): Intent => ({
  ...intent,
  last_payment_error: null,
  ...changes,
});

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const movementOf = (intent: Intent, now: number): Movement => ({
  amount: intent.amount,
  currency: intent.currency.toUpperCase(),
  orderId: text(intent.metadata['order']),
  operation: text(intent.metadata['operation']),
  tenant: text(intent.metadata['tenant']),
  paymentIntent: intent.id,
  at: new Date(now).toISOString(),
});
