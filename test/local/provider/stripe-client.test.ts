import Stripe from 'stripe';
import { expect, it } from 'vitest';
import { startDirect } from './direct.ts';

const connect = async (): Promise<Stripe> => {
  const { hostname, port } = new URL((await startDirect()).url);
  return new Stripe('sk_test_local', {
    host: hostname,
    port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  });
};

it('serves the official client: create, retrieve, cancel, and its typed errors', async () => {
  const stripe = await connect();
  const paid = await stripe.paymentIntents.create({
    amount: 900,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
    metadata: { order: 'o' },
  });
  expect(paid.status).toBe('succeeded');
  expect((await stripe.paymentIntents.retrieve(paid.id)).metadata).toEqual({ order: 'o' });
  await expect(stripe.paymentIntents.cancel(paid.id)).rejects.toMatchObject({
    type: 'StripeInvalidRequestError',
    code: 'payment_intent_unexpected_state',
    payment_intent: { id: paid.id },
  });
  await expect(
    stripe.paymentIntents.create({
      amount: 9,
      currency: 'usd',
      payment_method: 'pm_card_chargeDeclined',
      confirm: true,
    }),
  ).rejects.toMatchObject({ type: 'StripeCardError', code: 'card_declined', decline_code: 'generic_decline' });
});

it('serves the official client its pages', async () => {
  const stripe = await connect();
  for (let amount = 1; amount <= 5; amount++) await stripe.paymentIntents.create({ amount, currency: 'usd' });
  const amounts: number[] = [];
  for await (const { amount } of stripe.paymentIntents.list({ limit: 2 })) amounts.push(amount);
  expect(amounts).toEqual([5, 4, 3, 2, 1]);
});
