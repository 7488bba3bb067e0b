import { digest } from '../idempotency/digest.ts';
import type { Facts } from '../idempotency/effect.ts';
import type { Blocking, DomainWrite, RecordKey } from '../idempotency/store.ts';
import type { PaymentCommand } from './command.ts';
import { isDue, type PaymentRecord } from './payment.ts';

/** The order's lock: there while a payment of it is under way, and for good once it is paid. */
export type OrderRecord = {
  readonly operation: string;
  readonly state: 'pending' | 'paid';
};

type Order = Pick<PaymentCommand, 'tenant' | 'orderId'>;
type OrderPayment = Pick<Facts<PaymentCommand>, 'operation'> & { readonly command: Order };

export const PAYMENTS = 'payments';

export const paymentAt = (id: string): RecordKey => ({ table: PAYMENTS, key: id });

/** Orders are unique per tenant. */
export const orderKeyOf = ({ tenant, orderId }: Order): string =>
  digest(['order', ...(tenant === null ? [] : [tenant]), orderId]);

const orderAt = (order: Order): RecordKey => ({ table: 'orders', key: orderKeyOf(order) });

/** Derived from the operation, so that every path renders the same bytes. */
export const paymentIdOf = (operation: string): string => `pay_${digest(['payment', operation])}`;

const pending = (operation: string): OrderRecord => ({ operation, state: 'pending' });
const paid = (operation: string): OrderRecord => ({ operation, state: 'paid' });

/** With the gate: no second payment of an order that is paid or being paid, under any key. */
export const lockOrder = ({ operation, command }: OrderPayment): DomainWrite => ({
  ...orderAt(command),
  expect: 'absent',
  put: pending(operation),
});

/** With a decline or a proof that nothing was charged: the order is free for another payment. */
export const freeOrder = ({ operation, command }: OrderPayment): DomainWrite => ({
  ...orderAt(command),
  expect: pending(operation),
  remove: true,
});

export const markPaid = ({ operation, command }: OrderPayment): DomainWrite => ({
  ...orderAt(command),
  expect: pending(operation),
  put: paid(operation),
});

/** For a success that came after the order had been freed. */
export const markPaidLate = ({ operation, command }: OrderPayment): DomainWrite => ({
  ...orderAt(command),
  expect: 'absent',
  put: paid(operation),
});

const put = (payment: PaymentRecord, expect: DomainWrite['expect']): DomainWrite => ({
  ...paymentAt(payment.id),
  expect,
  put: payment,
  ...(isDue(payment) && { dueAt: payment.dueAt }),
});

export const recordPayment = (payment: PaymentRecord): DomainWrite => put(payment, 'absent');

/** Replaces a payment, unless somebody else has changed it since it was read. */
export const changePayment = ({ status, receipt, attempts }: PaymentRecord, next: PaymentRecord): DomainWrite =>
  put(next, { status, receipt, attempts });

export const isPayment = ({ table }: RecordKey): boolean => table === PAYMENTS;

export const isPaid = (by: readonly Blocking[]): boolean => by.some(({ record }) => record?.['state'] === 'paid');
