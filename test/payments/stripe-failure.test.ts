import Stripe from 'stripe';
import { expect, it } from 'vitest';
import { readFailure } from '../../lib/payments/stripe/failure.ts';

it.each([
  ['a connection error that says no more', new Stripe.errors.StripeConnectionError({ type: 'api_error', message: '' })],
  ['an error of the client itself', new TypeError('a bug')],
  ['something that is no error', 'text'],
])('%s proves nothing', (_, error) => {
  expect(readFailure(error)).toMatchObject({ kind: 'unknown' });
});
