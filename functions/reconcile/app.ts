import type { Context } from 'aws-lambda';
import type { Budget } from '../../lib/idempotency/budget.ts';
import type { Protocol, ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import { reconcile } from '../../lib/idempotency/reconcile.ts';
import type { ReconcileReport } from '../../lib/idempotency/reconcile-report.ts';
import { paymentEffect } from '../../lib/payments/effect.ts';
import { advancePayment, type PaymentEvent } from '../../lib/payments/outbox.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import type { ReceiptQueue } from '../../lib/payments/receipts.ts';
import { PAYMENTS } from '../../lib/payments/records.ts';

export interface Dependencies extends Omit<Protocol, 'observe'> {
  readonly provider: PaymentProvider;
  readonly receipts: ReceiptQueue;
  readonly docsBase: string;
  /** How long after the end of a lease an absent charge may still appear, in milliseconds. */
  readonly graceMs: number;
  readonly observe: (event: ProtocolEvent | PaymentEvent) => void;
  readonly onReport: (report: ReconcileReport) => void;
}

/** The scheduled run: settles the claims whose functions died, moves payments on, and returns what it did. */
export function createHandler({ docsBase, graceMs, onReport, ...outbox }: Dependencies) {
  const effect = paymentEffect(outbox.provider, docsBase);
  const advance = async (id: string, budget: Budget) => {
    const { kind } = await advancePayment(outbox, id, budget);
    return kind === 'final' || kind === 'absent' ? 'done' : 'waiting';
  };
  return async (_event: unknown, context: Context): Promise<ReconcileReport> => {
    const budget = { remainingMs: () => context.getRemainingTimeInMillis() };
    const report = await reconcile(outbox, { effect, graceMs, budget, records: { [PAYMENTS]: advance } });
    onReport(report);
    return report;
  };
}
