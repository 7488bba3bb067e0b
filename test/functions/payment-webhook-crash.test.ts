import { describe, expect, test } from 'vitest';
import { createHandler as createSendReceipt } from '../../functions/send-receipt/app.ts';
import { advancePayment } from '../../lib/payments/outbox.ts';
import { type CrashPoint, type Mortal, mortal } from '../support/crash.ts';
import { invoke, lambdaContext } from '../support/events.ts';
import { budgetOf } from '../support/fake-ambient.ts';
import { LEASE_MS, type PaymentService, paymentService } from '../support/payment-service.ts';
import { messageOf } from '../support/receipt-message.ts';

/** More ports than any of these is called; the last points are met by nobody. */
const POINTS_MAX = 20;

const POINTS: readonly CrashPoint[] = Array.from({ length: POINTS_MAX }, (_, n) => n + 1).flatMap((nth) => [
  { nth, when: 'before' },
  { nth, when: 'after' },
]);

type Start = 'settled' | 'lost' | 'processing';

async function begin(how: Start): Promise<PaymentService> {
  const s = paymentService();
  s.bank.isDeaf = how === 'lost';
  if (how === 'processing') s.bank.begins = 'processing';
  await s.pay('o');
  s.bank.of('o').state = 'succeeded';
  return s;
}

const portsOf = ({ inner, bank, queue }: PaymentService) => ({ store: inner, provider: bank, receipts: queue });

const webhookRun = (s: PaymentService, { store, provider, receipts }: Mortal): Promise<unknown> => {
  const body = JSON.stringify(s.eventOf(s.bank.of('o')));
  return invoke(s.webhookWith({ store, provider, receipts }), s.signed(body), s.webhookContext());
};

const advanceRun = async (s: PaymentService, { store, provider, receipts }: Mortal): Promise<unknown> => {
  const outbox = { store, provider, receipts, ambient: s.ambient, observe: () => {} };
  const payment = await s.payment('o');
  return advancePayment(outbox, payment?.id ?? '', budgetOf(s.ambient, 20_000));
};

/** Whoever comes next, until nothing is open: the same event again, or the reconciler alone. */
const AFTERWARDS = {
  'Stripe delivers again': async (s: PaymentService) => {
    const early = await s.deliver(s.bank.of('o'));
    expect([200, 503]).toContain(early.status);
    s.ambient.advance(LEASE_MS);
    expect((await s.deliver(s.bank.of('o'))).status).toBe(200);
  },
  'Stripe never comes back': async (s: PaymentService) => {
    for (let run = 0; run < 4; run++) {
      s.ambient.advance(LEASE_MS);
      await s.reconcile();
    }
  },
};

async function expectTheEnd(s: PaymentService): Promise<void> {
  expect([await s.state('o'), await s.order('o')]).toEqual(['succeeded queued', 'paid']);
  expect([(await s.claim('o'))?.status, s.bank.payments.length, s.anomalies()]).toEqual(['done', 1, []]);
  expect((await s.get('o')).json).toMatchObject({ status: 'succeeded' });
  // Queued at least once and under one key, so that the receipt is sent once.
  const sent: string[] = [];
  const sender = { send: async (id: string) => void sent.push(id) };
  const consume = createSendReceipt({ store: s.inner, ambient: s.ambient, sender, observe: () => {} });
  const Records = s.queue.jobs.map((job) => messageOf(job));
  const context = lambdaContext(() => 30_000);
  expect(await consume({ Records }, context)).toEqual({ batchItemFailures: [] });
  expect(sent).toHaveLength(1);
}

async function crashAt(how: Start, run: typeof webhookRun, point: CrashPoint): Promise<[PaymentService, string]> {
  const s = await begin(how);
  const process = mortal(portsOf(s), point);
  const died = await Promise.race([process.death, run(s, process).then(() => 'lived')]);
  return [s, died];
}

describe.each(['settled', 'lost', 'processing'] as const)('a payment that is %s', (how) => {
  // H1, I4: at each await of the webhook
  test.each(Object.keys(AFTERWARDS) as (keyof typeof AFTERWARDS)[])(
    'survives a webhook that dies anywhere, when %s',
    async (name) => {
      const deaths = new Set<string>();
      for (const point of POINTS) {
        const [s, died] = await crashAt(how, webhookRun, point);
        deaths.add(died);
        await AFTERWARDS[name](s);
        await expectTheEnd(s);
      }
      expect([...deaths]).toEqual(expect.arrayContaining(['claim', 'read', 'record', 'send', 'commit', 'lived']));
      expect(deaths.has('lookup')).toBe(how !== 'settled');
      expect(deaths.has('settle')).toBe(true);
    },
  );
});

test.each(['settled', 'processing'] as const)(
  'a payment that is %s survives a crash at each step of its advance',
  async (how) => {
    const deaths = new Set<string>();
    for (const point of POINTS) {
      const [s, died] = await crashAt(how, advanceRun, point);
      deaths.add(died);
      await AFTERWARDS['Stripe never comes back'](s);
      await expectTheEnd(s);
    }
    expect([...deaths]).toEqual(expect.arrayContaining(['record', 'send', 'commit', 'lived']));
  },
);
