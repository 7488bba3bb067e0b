import Stripe from 'stripe';
import type { EpochMs } from '../../idempotency/time.ts';
import type { Hint } from '../webhook.ts';
import { bindingOf } from './reading.ts';

/** How old a signature may be: Stripe's own default. A message that is caught and sent again later is refused. */
const TOLERANCE_SECONDS = 300;

/** The events that tell of a payment's end or delay. `created` tells nothing that its call did not. */
const TOLD: ReadonlySet<string> = new Set([
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
]);

/** What was delivered to the webhook. */
export interface Delivery {
  /** The bytes as they came: the signature is over them. */
  readonly body: Uint8Array;
  /** `Stripe-Signature`. */
  readonly signature: string | undefined;
}

export type EventReading =
  /** Not signed by whoever knows the secret, or not now. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Genuine, and no concern of this service. */
  | { readonly kind: 'ignored'; readonly id: string; readonly type: string; readonly reason: string }
  | { readonly kind: 'hint'; readonly id: string; readonly type: string; readonly hint: Hint };

/**
 * Reads a delivery of Stripe: first its signature, with the official client, and only then what it says.
 *
 * @see https://docs.stripe.com/webhooks/signature
 */
export function readEvent({ body, signature }: Delivery, secret: string, now: EpochMs): EventReading {
  if (signature === undefined) return { kind: 'refused', reason: 'there is no Stripe-Signature header' };
  const event = verified(body, signature, secret, now);
  if (event === undefined) return { kind: 'refused', reason: 'the signature is not of these bytes, or too old' };
  const id = text(event['id']);
  const type = text(event['type']);
  if (id === '' || type === '') return { kind: 'refused', reason: 'the signed bytes are no event' };
  if (!TOLD.has(type)) return { kind: 'ignored', id, type, reason: 'the type is of no concern' };
  const binding = bindingOf((event['data'] as { readonly object?: unknown } | undefined)?.object);
  if (binding === undefined) return { kind: 'ignored', id, type, reason: 'the intent is no payment of this service' };
  return { kind: 'hint', id, type, hint: { ...binding, isSuccess: type === 'payment_intent.succeeded' } };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The event, if its signature holds. */
function verified(
  body: Uint8Array,
  signature: string,
  secret: string,
  now: EpochMs,
): Readonly<Record<string, unknown>> | undefined {
  try {
    const payload = Buffer.from(body);
    const event: unknown = Stripe.webhooks.constructEvent(
      payload,
      signature,
      secret,
      TOLERANCE_SECONDS,
      undefined,
      now,
    );
    return typeof event === 'object' && event !== null ? (event as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // A wrong signature, or signed bytes that are no JSON: neither is an event.
    return undefined;
  }
}
