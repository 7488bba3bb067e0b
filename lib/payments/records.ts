import { digest } from '../idempotency/digest.ts';
import type { Facts } from '../idempotency/effect.ts';
import type { Blocking, DomainWrite, RecordKey } from '../idempotency/store.ts';
import type { PaymentCommand } from './command.ts';

/** A payment as `GET /payments/{id}` shows it, and whose it is. */
export type PaymentRecord = {
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: PaymentStatus;
  readonly createdAt: string;
  /** Hash of tenant and subject: only they may read it. */
  readonly scope: string;
  readonly operation: string;
};

export type PaymentStatus = 'succeeded' | 'processing';

/** The order's lock: there while a payment of it is under way, and for good once it is paid. */
export type OrderRecord = {
  readonly operation: string;
  readonly state: 'pending' | 'paid';
};

export const paymentAt = (id: string): RecordKey => ({ table: 'payments', key: id });

/** Orders are unique per tenant. */
const orderAt = ({ tenant, orderId }: PaymentCommand): RecordKey => ({
  table: 'orders',
  key: digest(['order', ...(tenant === null ? [] : [tenant]), orderId]),
});

/** Derived from the operation, so that every path renders the same bytes. */
export const paymentIdOf = (operation: string): string => `pay_${digest(['payment', operation])}`;

const pending = (operation: string): OrderRecord => ({ operation, state: 'pending' });

/** With the gate: no second payment of an order that is paid or being paid, under any key. */
export const lockOrder = ({ operation, command }: Facts<PaymentCommand>): DomainWrite => ({
  ...orderAt(command),
  expect: 'absent',
  put: pending(operation),
});

/** With a decline or a proof that nothing was charged: the order is free for another payment. */
export const freeOrder = ({ operation, command }: Facts<PaymentCommand>): DomainWrite => ({
  ...orderAt(command),
  expect: pending(operation),
  remove: true,
});

export const markPaid = ({ operation, command }: Facts<PaymentCommand>): DomainWrite => ({
  ...orderAt(command),
  expect: pending(operation),
  put: { operation, state: 'paid' } satisfies OrderRecord,
});

export const recordPayment = (payment: PaymentRecord): DomainWrite => ({
  ...paymentAt(payment.id),
  expect: 'absent',
  put: payment,
});

export const isPaid = (by: readonly Blocking[]): boolean => by.some(({ record }) => record?.['state'] === 'paid');
