/** What the package exports as `./stripe`. */
export { STRIPE_KEY_RETENTION_MS, type StripeProviderOptions, stripeProvider } from './stripe/provider.ts';
export { type Reading, readIntent } from './stripe/reading.ts';
