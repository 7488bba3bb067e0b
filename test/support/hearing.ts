import { paymentEffect } from '../../lib/payments/effect.ts';
import { type Heeded, heed, type WebhookDependencies } from '../../lib/payments/webhook.ts';
import { budgetOf } from './fake-ambient.ts';
import type { BankPayment } from './fake-bank.ts';
import { DOCS, type PaymentService, paymentService } from './payment-service.ts';

export const DONE: Heeded = { kind: 'done' };

export function dependencies(s: PaymentService, part: Partial<WebhookDependencies> = {}): WebhookDependencies {
  const { store, ambient, bank, queue } = s;
  return {
    store,
    ambient,
    retentionMs: 24 * 60 * 60 * 1_000,
    provider: bank,
    effect: paymentEffect(bank, DOCS),
    receipts: queue,
    observe: (event) => s.events.push({ ...event }),
    ...part,
  };
}

const hintOf = ({ ref, call }: BankPayment, isSuccess = true) => ({
  claim: call.pk,
  operation: call.operation,
  ref,
  isSuccess,
});

export const hear = (
  s: PaymentService,
  hint: Partial<ReturnType<typeof hintOf>> = {},
  part: Partial<WebhookDependencies> = {},
  remainingMs = 20_000,
): Promise<Heeded> =>
  heed(dependencies(s, part), { ...hintOf(s.bank.of('o')), ...hint }, budgetOf(s.ambient, remainingMs));

/** A payment whose answer was lost: its claim is open, behind its gate. */
export async function lost() {
  const s = paymentService();
  s.bank.isDeaf = true;
  await s.pay('o');
  return s;
}
