import Stripe from 'stripe';
import { createHandler as createPayment } from '../../functions/create-payment/app.ts';
import { createHandler as createGetPayment } from '../../functions/get-payment/app.ts';
import { createHandler as createWebhook } from '../../functions/payment-webhook/app.ts';
import { createHandler as createReconcile } from '../../functions/reconcile/app.ts';
import type { DoneClaim, Found } from '../../lib/idempotency/claim.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import type { PaymentRecord } from '../../lib/payments/payment.ts';
import type { PaymentProvider } from '../../lib/payments/provider.ts';
import type { ReceiptQueue } from '../../lib/payments/receipts.ts';
import { orderKeyOf, paymentAt, paymentIdOf } from '../../lib/payments/records.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { type Handler, invoke, lambdaContext, type Reply } from './events.ts';
import { budgetOf, fakeAmbient } from './fake-ambient.ts';
import { type BankPayment, fakeBank } from './fake-bank.ts';
import { fakeQueue } from './fake-queue.ts';
import { faultyStore } from './faulty-store.ts';

export const DOCS = 'https://docs.example.com';
export const SECRET = 'whsec_test';
const RETENTION_MS = 24 * 60 * 60 * 1_000;
const GRACE_MS = 60_000;
const WEBHOOK_MS = 20_000;
/** After it nobody's lease is left. */
export const LEASE_MS = WEBHOOK_MS + 5_001;

type Seen = { readonly kind: string; readonly [member: string]: unknown };

/** Parts of the service that a test replaces in one function. */
export interface Parts {
  readonly store?: Store;
  readonly provider?: PaymentProvider;
  readonly receipts?: ReceiptQueue;
  readonly webhookSecret?: () => Promise<string>;
}

export interface StripeEvent {
  readonly id?: string;
  readonly type?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly ref?: string;
}

/** The payments service over a store in memory, a bank and a queue. */
export function paymentService() {
  const ambient = fakeAmbient();
  const inner = memoryStore({ now: ambient.now });
  const [store, bank, queue] = [faultyStore(inner), fakeBank(), fakeQueue()];
  const events: Seen[] = [];
  const observe = (event: { readonly kind: string }): void => {
    events.push(event as Seen); // The members of an event are looked at by name.
  };
  const onUnexpected = (error: unknown) => observe({ kind: `unexpected ${String(error)}` });
  const all = { store, ambient, provider: bank, receipts: queue, docsBase: DOCS, retentionMs: RETENTION_MS, observe };
  const pay = createPayment({ ...all, onUnexpected });
  const get = createGetPayment({ store: inner, docsBase: DOCS });
  const webhookWith = (parts: Parts) =>
    createWebhook({ ...all, onUnexpected, webhookSecret: async () => SECRET, ...parts }) as Handler;
  const webhook = webhookWith({});
  const reconcile = createReconcile({ ...all, graceMs: GRACE_MS, onReport: () => {} });
  const contextOf = (ms: number) => lambdaContext(budgetOf(ambient, ms).remainingMs);

  /** An event as Stripe would send it about a payment of the bank. */
  const eventOf = ({ ref, call }: BankPayment, { id, type, metadata, ref: other }: StripeEvent = {}) => ({
    id: id ?? `evt_${ref}`,
    object: 'event',
    type: type ?? 'payment_intent.succeeded',
    data: {
      object: {
        id: other ?? ref,
        object: 'payment_intent',
        status: 'whatever it was then',
        metadata: metadata ?? { operation: call.operation, claim: call.pk, order: call.command.orderId },
      },
    },
  });
  const signed = (body: string, secret = SECRET, now: number = ambient.now()) => ({
    method: 'POST',
    path: '/webhooks/stripe',
    claims: null,
    body,
    headers: {
      'Stripe-Signature': Stripe.webhooks.generateTestHeaderString({
        payload: body,
        secret,
        timestamp: Math.floor(now / 1000),
      }),
    },
  });

  const self = {
    ambient,
    inner,
    store,
    bank,
    queue,
    events,
    eventOf,
    signed,
    webhook,
    webhookWith,
    webhookContext: () => contextOf(WEBHOOK_MS),
    kinds: () => events.map(({ kind }) => kind),
    anomalies: () => events.filter(({ kind }) => kind === 'anomaly').map(({ reason }) => reason),
    pay: (orderId: string, key = `key-${orderId}`): Promise<Reply> =>
      invoke(
        pay as Handler,
        { key, body: JSON.stringify({ orderId, amount: 500, currency: 'UZS', paymentMethod: 'pm' }) },
        contextOf(10_000),
      ),
    deliver: (payment: BankPayment, event?: StripeEvent): Promise<Reply> =>
      invoke(webhook, signed(JSON.stringify(eventOf(payment, event))), contextOf(WEBHOOK_MS)),
    reconcile: (remainingMs = 60_000) => reconcile({}, contextOf(remainingMs)),
    claim: (orderId: string): Promise<Found> => inner.read(bank.of(orderId).call.pk),
    async done(orderId: string): Promise<DoneClaim> {
      const found = await self.claim(orderId);
      if (found?.status !== 'done') throw new Error(`The claim of ${orderId} is ${found?.status}.`);
      return found;
    },
    payment: async (orderId: string): Promise<PaymentRecord | undefined> =>
      // Only payments are recorded there.
      (await inner.record(paymentAt(paymentIdOf(bank.of(orderId).call.operation)))) as PaymentRecord | undefined,
    /** `status receipt` of the payment. */
    async state(orderId: string): Promise<string> {
      const payment = await self.payment(orderId);
      return payment === undefined ? 'none' : `${payment.status} ${payment.receipt}`;
    },
    order: async (orderId: string) =>
      (await inner.record({ table: 'orders', key: orderKeyOf({ tenant: null, orderId }) }))?.['state'],
    get: (orderId: string): Promise<Reply> => {
      const id = paymentIdOf(bank.of(orderId).call.operation);
      return invoke(get as Handler, { method: 'GET', path: `/payments/${id}`, parameters: { id } });
    },
    /** How many records and claims the due index holds, at whatever time. */
    async dueCount(): Promise<number> {
      const forever = ambient.now() + 10 * 365 * 24 * 60 * 60 * 1_000;
      const pages = Array.from({ length: inner.shards }, (_, shard) => inner.due(shard, forever as never, 1_000));
      return (await Promise.all(pages)).reduce((sum, { due }) => sum + due.length, 0);
    },
  };
  return self;
}

export type PaymentService = ReturnType<typeof paymentService>;
