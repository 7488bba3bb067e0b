import { createHandler as createPayment } from '../../functions/create-payment/app.ts';
import { createHandler as getKey } from '../../functions/get-key/app.ts';
import { createHandler as getPayment } from '../../functions/get-payment/app.ts';
import { createHandler as createReconciler } from '../../functions/reconcile/app.ts';
import type { ReconcileReport } from '../../lib/idempotency/reconcile-report.ts';
import type { ReceiptJob, ReceiptQueue } from '../../lib/payments/receipts.ts';
import type { MaximumAmounts } from '../../lib/payments/request.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { apiEvent, type EventParts, invoke, lambdaContext, type Reply } from '../support/events.ts';
import { budgetOf, fakeAmbient } from '../support/fake-ambient.ts';
import { faultyStore } from '../support/faulty-store.ts';
import type { ScriptedProvider } from '../support/scripted-provider.ts';

export const DOCS = 'https://api.example.com';
export const RETENTION_MS = 24 * 60 * 60 * 1_000;
export const GRACE_MS = 5 * 60 * 1_000;
/** Longer than an invocation and its lease. */
export const LEASE_OVER_MS = 60_000;

export const PAYMENT = { orderId: 'order-1', amount: 150_000, currency: 'UZS', paymentMethod: 'pm_card_visa' };

export interface Settings {
  readonly tenantClaim?: string;
  readonly maximumAmounts?: MaximumAmounts;
}

/** The functions of the payments service over one store, one clock and one provider. */
export function paymentsService(provider: ScriptedProvider, { tenantClaim, maximumAmounts }: Settings = {}) {
  const ambient = fakeAmbient();
  const store = faultyStore(memoryStore({ now: ambient.now }));
  const events: { readonly kind: string }[] = [];
  const errors: unknown[] = [];
  const reports: ReconcileReport[] = [];
  const jobs: ReceiptJob[] = [];
  const receipts: ReceiptQueue = {
    send: async (job) => {
      jobs.push(job);
    },
  };
  const shared = { store, ambient, docsBase: DOCS, retentionMs: RETENTION_MS, tenantClaim };
  const onUnexpected = (error: unknown): void => {
    errors.push(error);
  };
  const observe = (event: { readonly kind: string }): void => {
    events.push(event);
  };
  const create = createPayment({
    ...shared,
    provider,
    observe,
    onUnexpected,
    ...(maximumAmounts && { maximumAmounts }),
  });
  const payment = getPayment({ ...shared, onUnexpected });
  const key = getKey({ ...shared, onUnexpected });
  const reconciler = createReconciler({
    ...shared,
    provider,
    receipts,
    observe,
    graceMs: GRACE_MS,
    onReport: (report) => reports.push(report),
  });
  const claims = (sub: string, tenant?: string) => ({ claims: { sub, ...(tenant !== undefined && { tenant }) } });
  const context = (ms = 10_000) => {
    const budget = budgetOf(ambient, ms);
    return lambdaContext(() => budget.remainingMs());
  };
  const get = (path: string, name: string, value: string) => ({
    method: 'GET',
    path: `${path}/${encodeURIComponent(value)}`,
    routeKey: `GET ${path}/{${name}}`,
    parameters: { [name]: value },
  });

  return {
    ambient,
    store,
    events,
    errors,
    reports,
    jobs,
    claims,
    pay: (part: object = {}, parts: EventParts = {}, ms?: number): Promise<Reply> =>
      invoke(create, { key: 'k', body: JSON.stringify({ ...PAYMENT, ...part }), ...parts }, context(ms)),
    post: (parts: EventParts): Promise<Reply> => invoke(create, { key: 'k', ...parts }, context()),
    getPayment: (id: string, parts: EventParts = {}): Promise<Reply> =>
      invoke(payment, { ...get('/payments', 'id', id), ...parts }),
    getKey: (value: string, parts: EventParts = {}): Promise<Reply> =>
      invoke(key, { ...get('/idempotency-keys', 'key', value), ...parts }),
    reconcile: () => reconciler(apiEvent(), context(60_000)),
  };
}
