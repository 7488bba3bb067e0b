import { type Budget, lookupTimeoutMs } from '../idempotency/budget.ts';
import type { Evidence } from '../idempotency/effect.ts';
import type { Protocol, ProtocolEvent } from '../idempotency/protocol.ts';
import type { DomainWrite } from '../idempotency/store.ts';
import type { PaymentRecord } from './payment.ts';
import * as life from './payment.ts';
import type { PaymentProvider } from './provider.ts';
import { type ReceiptQueue, receiptJobOf } from './receipts.ts';
import { changePayment, freeOrder, isPayment, markPaid, markPaidLate, paymentAt } from './records.ts';

/** What became of a payment after its settlement, for logs and metrics. Carries ids only. */
export type PaymentEvent =
  | { readonly kind: 'payment-succeeded' | 'payment-failed' | 'receipt-queued'; readonly payment: string }
  | { readonly kind: 'payment-postponed'; readonly payment: string; readonly reason: string };

export interface Outbox extends Pick<Protocol, 'store' | 'ambient'> {
  readonly provider: Pick<PaymentProvider, 'lookup'>;
  readonly receipts: ReceiptQueue;
  /** Must not throw. */
  readonly observe: (event: ProtocolEvent | PaymentEvent) => void;
}

export type Advance =
  /** Nothing is left to do: it failed, or it succeeded and its receipt's job is queued. */
  | { readonly kind: 'final' }
  /** The provider itself does not know yet. */
  | { readonly kind: 'processing' }
  /** Nobody could say, or the queue did not take the job: ask again. */
  | { readonly kind: 'open'; readonly reason: string }
  | { readonly kind: 'absent' };

/** One step: an end, or the payment as it stands now (`undefined` where somebody else changed it: read it again). */
type Step = Exclude<Advance, { kind: 'absent' }> | { readonly kind: 'changed'; readonly payment?: PaymentRecord };

/** Look up, queue, and as many again for steps that were lost to others. */
const STEPS_MAX = 6;

/**
 * Moves a payment on as far as that is possible now: asks the provider how it ended, writes that down together with
 * the order's state, and queues the job of its receipt. What is left is in the due index, to be looked at later.
 *
 * Anybody may call it at any time, and several at once: every step is conditional on the state that it starts from. A
 * crash between queueing and writing that down queues the same job once more, under the same job key.
 */
export async function advancePayment(outbox: Outbox, paymentId: string, budget: Budget): Promise<Advance> {
  let payment = await readPayment(outbox, paymentId);
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    if (payment === undefined) return { kind: 'absent' };
    const step = await advance(outbox, payment, budget);
    if (step.kind !== 'changed') return step;
    payment = step.payment ?? (await readPayment(outbox, paymentId));
  }
  return { kind: 'open', reason: 'others kept changing the payment' };
}

/** Only this folder writes payments, hence the cast. */
const readPayment = async ({ store }: Outbox, id: string): Promise<PaymentRecord | undefined> =>
  (await store.record(paymentAt(id))) as PaymentRecord | undefined;

function advance(outbox: Outbox, payment: PaymentRecord, budget: Budget): Promise<Step> | Step {
  if (payment.status !== 'succeeded') return askProvider(outbox, payment, budget);
  return payment.receipt === 'due' ? queueReceipt(outbox, payment) : { kind: 'final' };
}

async function askProvider(outbox: Outbox, payment: PaymentRecord, budget: Budget): Promise<Step> {
  const timeoutMs = lookupTimeoutMs(budget);
  if (timeoutMs === undefined) return { kind: 'open', reason: 'too little time is left to look the payment up' };
  const evidence = await outbox.provider.lookup(life.lookupOf(payment, timeoutMs));
  if (evidence.kind === 'outcome') return conclude(outbox, payment, evidence);
  const reason = 'reason' in evidence ? evidence.reason : `the provider answered "${evidence.kind}" to a look-up`;
  if (evidence.kind === 'foreign') outbox.observe({ kind: 'anomaly', operation: payment.operation, reason });
  return postpone(outbox, payment, reason);
}

async function conclude(
  outbox: Outbox,
  payment: PaymentRecord,
  { outcome }: Extract<Evidence, { kind: 'outcome' }>,
): Promise<Step> {
  if (outcome.result !== 'performed') return payment.status === 'failed' ? { kind: 'final' } : fail(outbox, payment);
  if (!life.isProcessing(outcome)) return succeed(outbox, payment);
  await postpone(outbox, payment, 'the provider is processing it');
  return { kind: 'processing' };
}

/** Success wins over everything, also over a failure that was written down before: the money has moved. */
async function succeed(outbox: Outbox, payment: PaymentRecord): Promise<Step> {
  const { ambient, observe } = outbox;
  const { operation, id } = payment;
  const facts = life.factsOfPayment(payment);
  const isLate = payment.status === 'failed';
  if (isLate) observe({ kind: 'anomaly', operation, reason: 'the payment succeeded after it had failed' });
  const next = life.succeeded(payment, ambient.now());
  const order = isLate ? markPaidLate(facts) : markPaid(facts);
  const isMine = await commitWithOrder(outbox, operation, order, changePayment(payment, next));
  if (!isMine) return { kind: 'changed' };
  observe({ kind: 'payment-succeeded', payment: id });
  return { kind: 'changed', payment: next };
}

async function fail(outbox: Outbox, payment: PaymentRecord): Promise<Step> {
  const { operation, id } = payment;
  const next = life.failed(payment);
  const order = freeOrder(life.factsOfPayment(payment));
  const isMine = await commitWithOrder(outbox, operation, order, changePayment(payment, next));
  if (!isMine) return { kind: 'changed' };
  outbox.observe({ kind: 'payment-failed', payment: id });
  return { kind: 'final' };
}

/**
 * Writes a payment and its order together. An order that belongs to another payment by now never blocks the truth about
 * this one: the payment is written alone, and a person is told. False where somebody else has changed the payment.
 */
async function commitWithOrder(
  { store, observe }: Pick<Outbox, 'store' | 'observe'>,
  operation: string,
  order: DomainWrite,
  payment: DomainWrite,
): Promise<boolean> {
  const together = await store.commit([order, payment]);
  if (together.kind === 'applied') return true;
  if (together.by.some(isPayment)) return false;
  const reason = `the order ${order.key} is not held by this payment: it may be paid twice`;
  observe({ kind: 'anomaly', operation, reason });
  return (await store.commit([payment])).kind === 'applied';
}

async function queueReceipt(outbox: Outbox, payment: PaymentRecord): Promise<Step> {
  const { store, receipts, observe } = outbox;
  try {
    await receipts.send(receiptJobOf(payment));
  } catch (error) {
    return postpone(outbox, payment, `the receipt's job was not queued: ${String(error)}`);
  }
  const committed = await store.commit([changePayment(payment, life.receiptQueued(payment))]);
  if (committed.kind === 'blocked') return { kind: 'changed' };
  observe({ kind: 'receipt-queued', payment: payment.id });
  return { kind: 'final' };
}

/** Leaves the payment to a later look. Lost to somebody else, the pause is theirs to set. */
async function postpone({ store, ambient, observe }: Outbox, payment: PaymentRecord, reason: string): Promise<Step> {
  observe({ kind: 'payment-postponed', payment: payment.id, reason });
  if (life.isDue(payment)) {
    const next = life.postponed(payment, ambient.now(), ambient.random());
    const { operation } = payment;
    if (life.isStuck(next)) observe({ kind: 'anomaly', operation, reason: `${reason}, after ${next.attempts} looks` });
    await store.commit([changePayment(payment, next)]);
  }
  return { kind: 'open', reason };
}
