import type { Context } from 'aws-lambda';
import type { Protocol } from '../../lib/idempotency/protocol.ts';
import { type ReconcileReport, reconcile } from '../../lib/idempotency/reconcile.ts';
import { paymentEffect } from '../../lib/payments/effect.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';

export interface Dependencies extends Protocol {
  readonly provider: PaymentProvider;
  readonly docsBase: string;
  /** How long after the end of a lease an absent charge may still appear, in milliseconds. */
  readonly graceMs: number;
  readonly onReport: (report: ReconcileReport) => void;
}

/** The scheduled run: settles the claims whose functions died, and returns what it did. */
export function createHandler({ provider, docsBase, graceMs, onReport, ...protocol }: Dependencies) {
  const effect = paymentEffect(provider, docsBase);
  return async (_event: unknown, context: Context): Promise<ReconcileReport> => {
    const budget = { remainingMs: () => context.getRemainingTimeInMillis() };
    const report = await reconcile(protocol, { effect, graceMs, budget });
    onReport(report);
    return report;
  };
}
