import { paymentService, type StripeEvent } from './payment-service.ts';

/** The service after a payment of the order `o`: settled, or with its answer lost. */
export async function paid(how: 'settled' | 'lost' | 'processing' = 'settled') {
  const s = paymentService();
  s.bank.isDeaf = how === 'lost';
  if (how === 'processing') s.bank.begins = 'processing';
  await s.pay('o');
  const payment = s.bank.of('o');
  return { ...s, payment, send: (event?: StripeEvent) => s.deliver(payment, event) };
}

export type PaidOrder = Awaited<ReturnType<typeof paid>>;
