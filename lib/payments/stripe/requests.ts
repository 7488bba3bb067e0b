import type Stripe from 'stripe';
import type { Facts } from '../../idempotency/effect.ts';
import type { PaymentCommand } from '../command.ts';

type Charged = Pick<Facts<PaymentCommand>, 'pk' | 'operation' | 'command'>;

/** In the metadata: the names by which an intent is bound to what asked for it. */
export const METADATA = {
  tenant: 'tenant',
  order: 'order',
  operation: 'operation',
  /** Address of the claim, which an event of the intent leads back to. */
  claim: 'claim',
  /** `close` on an intent that only takes up a key. */
  purpose: 'purpose',
  /** The decline's code, written down before the intent is cancelled: cancelling wipes `last_payment_error`. */
  declined: 'declined',
} as const;

export const CLOSING = 'close';

/** A pure function of its arguments: each resend is byte for byte the same, or Stripe refuses it under its key. */
export const chargeRequest = ({ pk, operation, command }: Charged): Stripe.PaymentIntentCreateParams => ({
  amount: command.amount,
  currency: command.currency.toLowerCase(),
  payment_method: command.paymentMethod,
  confirm: true,
  // Nobody is there to be sent anywhere: what needs the customer's presence is refused up front.
  error_on_requires_action: true,
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  metadata: {
    ...(command.tenant === null ? {} : { [METADATA.tenant]: command.tenant }),
    [METADATA.order]: command.orderId,
    [METADATA.operation]: operation,
    [METADATA.claim]: pk,
  },
});

/**
 * Takes the key up without charging: unconfirmed, and without anything to charge.
 * Amount and currency are fixed, because the payment's own may be the reason why Stripe refuses it, and a refused
 * request takes up no key. Ten dollars lie above the minimum of every account.
 */
export const closeRequest = (operation: string): Stripe.PaymentIntentCreateParams => ({
  amount: 1000,
  currency: 'usd',
  metadata: { [METADATA.purpose]: CLOSING, [METADATA.operation]: operation },
});
