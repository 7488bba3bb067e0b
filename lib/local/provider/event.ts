import { type Intent, randomId } from './intent.ts';

/** The version of Stripe's API in whose shape intents and events are. */
export const API_VERSION = '2026-10-28.endive';

export type EventType =
  | 'payment_intent.created'
  | 'payment_intent.processing'
  | 'payment_intent.succeeded'
  | 'payment_intent.payment_failed'
  | 'payment_intent.canceled';

/** The call that an event came of; none when the bank's answer came by itself. */
export type Cause = { readonly id: string | null; readonly idempotency_key: string | null };

export const NO_CAUSE: Cause = { id: null, idempotency_key: null };

/** Stripe's Event, with the intent as it was at that moment. */
export type Event = {
  readonly id: string;
  readonly object: 'event';
  readonly api_version: string;
  /** Seconds, so that events of one payment often share it. */
  readonly created: number;
  readonly data: { readonly object: Intent };
  readonly livemode: false;
  readonly pending_webhooks: number;
  readonly request: Cause;
  readonly type: EventType;
};

/** How far an event got. */
export type Delivery = {
  readonly event: string;
  readonly state: 'due' | 'delivered' | 'dropped' | 'given-up';
  readonly attempts: number;
  /** Milliseconds since the epoch; null once nothing more will be tried. */
  readonly nextAt: number | null;
  /** The status of the last answer, or why there was none. */
  readonly lastAnswer: number | string | null;
};

/** The intent before it was confirmed in the call that made it. */
const asCreated = (intent: Intent): Intent => ({
  ...intent,
  status: intent.payment_method === null ? 'requires_payment_method' : 'requires_confirmation',
  amount_received: 0,
  latest_charge: null,
  last_payment_error: null,
  next_action: null,
});

const endingType = (before: Intent | undefined, after: Intent): EventType | undefined => {
  if (after.status === 'requires_payment_method') {
    const failed = after.last_payment_error !== null && after.last_payment_error !== before?.last_payment_error;
    return failed ? 'payment_intent.payment_failed' : undefined;
  }
  if (after.status === before?.status) return undefined;
  switch (after.status) {
    case 'processing':
    case 'succeeded':
    case 'canceled':
      return `payment_intent.${after.status}`;
    default:
      return undefined;
  }
};

/** The events that a change of an intent brings about, in their order. */
export const eventsOf = (before: Intent | undefined, after: Intent, now: number, cause: Cause): Event[] => {
  const event = (type: EventType, object: Intent): Event => ({
    id: randomId('evt'),
    object: 'event',
    api_version: API_VERSION,
    created: Math.floor(now / 1000),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: cause,
    type,
  });
  const ending = endingType(before, after);
  return [
    ...(before === undefined ? [event('payment_intent.created', asCreated(after))] : []),
    ...(ending === undefined ? [] : [event(ending, after)]),
  ];
};
