import { advancePayment, type Outbox } from '../../lib/payments/outbox.ts';
import { paymentIdOf } from '../../lib/payments/records.ts';
import { budgetOf } from './fake-ambient.ts';
import { type PaymentService, paymentService } from './payment-service.ts';

/** The service with one payment of the order `o`, as its settlement left it. */
export async function settled(state: 'processing' | 'succeeded') {
  const s = paymentService();
  s.bank.begins = state;
  await s.pay('o');
  return { ...s, outbox: outboxOf(s), advance: (remainingMs = 20_000) => advanceIn(s, remainingMs) };
}

export const outboxOf = ({ store, ambient, bank, queue, events }: PaymentService): Outbox => ({
  store,
  ambient,
  provider: bank,
  receipts: queue,
  observe: (event) => events.push({ ...event }),
});

export const idOf = ({ bank }: PaymentService): string => paymentIdOf(bank.of('o').call.operation);
const advanceIn = (s: PaymentService, remainingMs: number) =>
  advancePayment(outboxOf(s), idOf(s), budgetOf(s.ambient, remainingMs));
