import type { Outcome, StoredResponse } from '../idempotency/claim.ts';
import type { Effect, Facts } from '../idempotency/effect.ts';
import { type Problem, problemResponse } from '../idempotency/problems.ts';
import type { Blocking, DomainWrite } from '../idempotency/store.ts';
import type { PaymentCommand } from './command.ts';
import { newPayment, publicPayment } from './payment.ts';
import { PAYMENT_PROBLEMS } from './problems.ts';
import type { PaymentProvider } from './provider.ts';
import { freeOrder, isPaid, lockOrder, markPaid, markPaidLate, recordPayment } from './records.ts';

/** Another payment of the same order is usually over in seconds. */
const RETRY_ORDER_SECONDS = 2;

/** A charge, with the order's lock around it, the payment's record beside it and the answer that the client gets. */
export const paymentEffect = (provider: PaymentProvider, docsBase: string): Effect<PaymentCommand> => ({
  keyRetentionMs: provider.keyRetentionMs,
  perform: (call) => provider.perform(call),
  lookup: (call) => provider.lookup(call),
  close: (call) => provider.close(call),
  gate: (facts) => [lockOrder(facts)],
  settle,
  late,
  answer: (facts, outcome) => answer(facts, outcome, docsBase),
  blocked,
});

function settle(facts: Facts<PaymentCommand>, outcome: Outcome): readonly DomainWrite[] {
  if (outcome.result !== 'performed') return [freeOrder(facts)];
  const payment = newPayment(facts, outcome);
  const recorded = recordPayment(payment);
  return payment.status === 'succeeded' ? [markPaid(facts), recorded] : [recorded];
}

function late(facts: Facts<PaymentCommand>, outcome: Outcome): readonly DomainWrite[] {
  if (outcome.result !== 'performed') return [];
  const payment = newPayment(facts, outcome);
  return [payment.status === 'succeeded' ? markPaidLate(facts) : lockOrder(facts), recordPayment(payment)];
}

function answer(facts: Facts<PaymentCommand>, outcome: Outcome, docsBase: string): StoredResponse {
  if (outcome.result === 'performed') {
    const payment = publicPayment(newPayment(facts, outcome));
    return {
      status: 201,
      headers: { 'content-type': 'application/json', location: `/payments/${payment.id}`, 'cache-control': 'no-store' },
      body: new TextEncoder().encode(JSON.stringify(payment)),
    };
  }
  const problem = outcome.result === 'declined' ? declined(facts, outcome) : notPerformed(facts);
  return problemResponse(problem, { docsBase, instance: `urn:uuid:${facts.operation}` });
}

const declined = ({ command }: Facts<PaymentCommand>, outcome: Outcome): Problem => {
  const code = String(outcome.detail?.['code'] ?? 'unknown');
  return {
    type: PAYMENT_PROBLEMS.declined,
    detail: `The payment of order ${command.orderId} was declined (${code}). Nothing was charged.`,
    extensions: { declineCode: code },
  };
};

const notPerformed = ({ command }: Facts<PaymentCommand>): Problem => ({
  type: PAYMENT_PROBLEMS.notPerformed,
  detail: `The payment of order ${command.orderId} was not made. Nothing was charged, and nothing will be under this key.`,
});

function blocked({ orderId }: PaymentCommand, by: readonly Blocking[]): Problem {
  if (isPaid(by))
    return { type: PAYMENT_PROBLEMS.orderAlreadyPaid, detail: `Order ${orderId} is paid. It takes no second payment.` };
  return {
    type: PAYMENT_PROBLEMS.orderPaymentPending,
    detail: `A payment of order ${orderId} is under way under another key.`,
    retryAfterSeconds: RETRY_ORDER_SECONDS,
  };
}
