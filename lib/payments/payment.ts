import type { Outcome } from '../idempotency/claim.ts';
import type { EffectCall, Facts } from '../idempotency/effect.ts';
import { providerKeyOf } from '../idempotency/scope.ts';
import { after, type EpochMs, epochMs } from '../idempotency/time.ts';
import type { PaymentCommand } from './command.ts';
import { paymentIdOf } from './records.ts';

/** What a payment is from its settlement on, and what the provider is asked about it. */
type PaymentIdentity = {
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
  readonly currency: string;
  /** When the gate passed, ISO 8601 to the millisecond. */
  readonly createdAt: string;
  /** Hash of tenant and subject: only they may read it. */
  readonly scope: string;
  readonly operation: string;
  /** Address of the claim that it was made under. */
  readonly claim: string;
  readonly tenant: string | null;
  readonly paymentMethod: string;
  /** The provider's object; `null` where the provider named none. */
  readonly providerRef: string | null;
  /** Looks since its last change that brought nothing new. */
  readonly attempts: number;
};

/**
 * A payment's place in its life: `processing` ends in `succeeded` or `failed`, and nothing leaves `succeeded`.
 * It stays in the due index until its state is final and its receipt's job is queued.
 */
type PaymentState =
  | { readonly status: 'processing'; readonly receipt: 'none'; readonly dueAt: EpochMs }
  | { readonly status: 'succeeded'; readonly receipt: 'due'; readonly dueAt: EpochMs }
  | { readonly status: 'succeeded'; readonly receipt: 'queued' }
  | { readonly status: 'failed'; readonly receipt: 'none' };

export type PaymentRecord = PaymentIdentity & PaymentState;

export type PaymentStatus = PaymentRecord['status'];

/** The webhook is usually here within two seconds; the reconciler need not look before. */
const FIRST_LOOK_MS = 5_000;

/** A bank debit takes days, so the pause between two looks doubles up to this. */
const PAUSE_MS_MAX = 60 * 60 * 1_000;

/** Three weeks at the longest pause: no bank debit takes as long, so a person has to ask the provider. */
const LOOKS_ALARM = 512;

/** The payment as its settlement writes it: a pure function, so that every path writes the same record. */
export function newPayment(facts: Facts<PaymentCommand>, outcome: Outcome): PaymentRecord {
  const { pk: claim, operation, scope, command, sentAt } = facts;
  const identity = {
    id: paymentIdOf(operation),
    ...command,
    createdAt: new Date(sentAt).toISOString(),
    scope,
    operation,
    claim,
    providerRef: outcome.ref ?? null,
    attempts: 0,
  };
  const dueAt = after(sentAt, FIRST_LOOK_MS);
  return isProcessing(outcome)
    ? { ...identity, status: 'processing', receipt: 'none', dueAt }
    : { ...identity, status: 'succeeded', receipt: 'due', dueAt };
}

export const isProcessing = ({ detail }: Outcome): boolean => detail?.['status'] === 'processing';

const identityOf = (payment: PaymentRecord): PaymentIdentity => {
  const { id, orderId, amount, currency, createdAt, scope, operation, claim } = payment;
  const { tenant, paymentMethod, providerRef } = payment;
  const named = { id, orderId, amount, currency, createdAt, scope, operation, claim };
  return { ...named, tenant, paymentMethod, providerRef, attempts: 0 };
};

export const succeeded = (payment: PaymentRecord, now: EpochMs): PaymentRecord => ({
  ...identityOf(payment),
  status: 'succeeded',
  receipt: 'due',
  dueAt: now,
});

export const failed = (payment: PaymentRecord): PaymentRecord => ({
  ...identityOf(payment),
  status: 'failed',
  receipt: 'none',
});

export const receiptQueued = (payment: PaymentRecord): PaymentRecord => ({
  ...identityOf(payment),
  status: 'succeeded',
  receipt: 'queued',
});

/** A payment that is in the due index. */
export type DuePayment = Extract<PaymentRecord, { readonly dueAt: EpochMs }>;

export const isDue = (payment: PaymentRecord): payment is DuePayment => 'dueAt' in payment;

/** The same payment, to be looked at later; `random` spreads those that became due together. */
export function postponed(payment: DuePayment, now: EpochMs, random: number): DuePayment {
  const pauseMs = Math.min(PAUSE_MS_MAX, FIRST_LOOK_MS * 2 ** payment.attempts) * (1 + random / 2);
  return { ...payment, attempts: payment.attempts + 1, dueAt: after(now, Math.round(pauseMs)) };
}

/** Whether this very look is the one after which a person should be told. */
export const isStuck = ({ attempts }: PaymentRecord): boolean => attempts === LOOKS_ALARM;

/** The facts that the payment was made from. */
export const factsOfPayment = (payment: PaymentRecord): Facts<PaymentCommand> => {
  const { claim: pk, operation, scope, tenant, orderId, amount, currency, paymentMethod, createdAt } = payment;
  const command = { tenant, orderId, amount, currency, paymentMethod };
  return { pk, operation, scope, command, sentAt: epochMs(Date.parse(createdAt)) };
};

/** The question what has become of it. */
export const lookupOf = (payment: PaymentRecord, timeoutMs: number): EffectCall<PaymentCommand> => ({
  ...factsOfPayment(payment),
  key: providerKeyOf(payment.claim, payment.operation),
  ...(payment.providerRef !== null && { providerRef: payment.providerRef }),
  timeoutMs,
});

/** What anybody may see of a payment who may see it at all. */
export const publicPayment = ({ id, orderId, amount, currency, status, createdAt }: PaymentRecord) => ({
  id,
  orderId,
  amount,
  currency,
  status,
  createdAt,
});
