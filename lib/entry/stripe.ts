/** What the package exports as `./stripe`. */

import { stripeProvider as providerOf, type StripeProviderOptions } from '../payments/stripe/provider.ts';
import { systemAmbient } from '../runtime/ambient.ts';

export { paymentEffect } from '../payments/effect.ts';

/** Payments through Stripe's PaymentIntents, at most one charge for each key. */
export const stripeProvider = (options: Omit<StripeProviderOptions, 'now'>) =>
  providerOf({ now: systemAmbient.now, ...options });
