import type { Mutant } from './mutants.ts';

const EFFECT = 'lib/payments/effect.ts';
const OUTBOX = 'lib/payments/outbox.ts';

/** The payments' own rules, broken. */
export const MONEY_MUTANTS: readonly Mutant[] = [
  {
    name: 'order-unlocked',
    what: 'passes the gate without locking the order',
    patches: [{ file: EFFECT, find: 'gate: (facts) => [lockOrder(facts)],', replace: 'gate: () => [],' }],
  },
  {
    name: 'order-freed-on-payment',
    what: 'frees the order when it is paid',
    patches: [{ file: EFFECT, find: '[markPaid(facts), recorded]', replace: '[freeOrder(facts), recorded]' }],
  },
  {
    name: 'order-kept-on-decline',
    what: 'keeps the order locked after a decline',
    patches: [
      {
        file: EFFECT,
        find: "if (outcome.result !== 'performed') return [freeOrder(facts)];",
        replace: "if (outcome.result !== 'performed') return [];",
      },
    ],
  },
  {
    name: 'payment-unrecorded',
    what: 'settles a success without recording the payment',
    patches: [{ file: EFFECT, find: '[markPaid(facts), recorded]', replace: '[markPaid(facts)]' }],
  },
  {
    name: 'webhook-trusted',
    what: 'settles by what an event says instead of asking the provider',
    patches: [
      {
        file: 'lib/payments/webhook.ts',
        find: 'const recovery = await recover<PaymentCommand>(deps, request);',
        replace: `const told = hint.isSuccess
            ? { result: 'performed', ref: hint.ref, detail: { status: 'succeeded' } }
            : { result: 'not-performed' };
          const recovery = await settle(deps, effect, claim, told, 'webhook');`,
      },
    ],
  },
  {
    name: 'receipt-noted-first',
    what: "notes a receipt's job as queued before it is",
    patches: [
      {
        file: OUTBOX,
        find: 'await receipts.send(receiptJobOf(payment));',
        replace: `await store.commit([changePayment(payment, life.receiptQueued(payment))]);
          await receipts.send(receiptJobOf(payment));`,
      },
    ],
  },
];
