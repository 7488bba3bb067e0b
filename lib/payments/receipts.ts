import * as v from 'valibot';
import type { PaymentRecord } from './payment.ts';

/** The order to send one receipt. Every job of one payment has the same key, however often it is queued. */
export type ReceiptJob = {
  readonly jobKey: string;
  readonly paymentId: string;
  readonly tenant: string | null;
  readonly orderId: string;
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  /** ISO 8601. */
  readonly createdAt: string;
};

/** Takes receipt jobs; delivers each at least once. */
export interface ReceiptQueue {
  /** Resolves once the job is durable. A rejection proves nothing: the job may have been taken all the same. */
  send(job: ReceiptJob): Promise<void>;
}

/** What a receipt says. */
export type Receipt = Omit<ReceiptJob, 'jobKey'>;

/**
 * Sends receipts to whoever paid: the place to plug e-mail in.
 *
 * A function that dies between sending and writing that down sends once more, so hand `id` to a service that dedupes.
 */
export interface ReceiptSender {
  send(id: string, receipt: Receipt): Promise<void>;
}

const jobKeyOf = (paymentId: string): string => `receipt:${paymentId}`;

export const receiptJobOf = (payment: PaymentRecord): ReceiptJob => {
  const { id: paymentId, tenant, orderId, amount, currency, createdAt } = payment;
  return { jobKey: jobKeyOf(paymentId), paymentId, tenant, orderId, amount, currency, createdAt };
};

/** Members that a later version adds are left alone, so that a deployment may meet jobs of the next one. */
const Job = v.pipe(
  v.object({
    jobKey: v.string(),
    paymentId: v.pipe(v.string(), v.nonEmpty()),
    tenant: v.nullable(v.string()),
    orderId: v.pipe(v.string(), v.nonEmpty()),
    amount: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
    createdAt: v.pipe(v.string(), v.isoTimestamp()),
  }),
  v.check(({ jobKey, paymentId }) => jobKey === jobKeyOf(paymentId), 'the key of another payment'),
);

export type ReceiptJobReading =
  | { readonly kind: 'job'; readonly key: string; readonly job: ReceiptJob }
  | { readonly kind: 'malformed'; readonly reason: string };

/** Reads a message's body. The reason names the member that is wrong and nothing of what it holds. */
export function readReceiptJob(body: string): ReceiptJobReading {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Job), body);
  if (parsed.success) return { kind: 'job', key: parsed.output.jobKey, job: parsed.output };
  const [issue] = parsed.issues;
  return { kind: 'malformed', reason: `no receipt job: ${v.getDotPath(issue) ?? 'the body'} (${issue.type})` };
}
