import { describe, expect, test } from 'vitest';
import { createHandler } from '../../functions/send-receipt/app.ts';
import type { Receipt, ReceiptJob } from '../../lib/payments/receipts.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { lambdaContext } from '../support/events.ts';
import { fakeAmbient } from '../support/fake-ambient.ts';
import { messageOf } from '../support/receipt-message.ts';

const job = (paymentId = 'pay_1', part: Partial<Record<keyof ReceiptJob, unknown>> = {}) => ({
  jobKey: `receipt:${paymentId}`,
  paymentId,
  tenant: null,
  orderId: 'o',
  amount: 500,
  currency: 'UZS',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...part,
});

function mailer() {
  const ambient = fakeAmbient();
  const sent: { id: string; receipt: Receipt }[] = [];
  const seen: { readonly kind: string; readonly reason?: string }[] = [];
  const state = { isDown: false };
  const handler = createHandler({
    store: memoryStore({ now: ambient.now }),
    ambient,
    sender: {
      async send(id, receipt) {
        if (state.isDown) throw new Error('The mail server does not answer.');
        sent.push({ id, receipt });
      },
    },
    observe: (event) => seen.push({ ...event }),
  });
  const context = lambdaContext(() => 30_000);
  return {
    state,
    sent,
    ambient,
    failures: () => seen.filter(({ kind }) => kind === 'message-failed').map(({ reason }) => reason),
    receive: async (...Records: ReturnType<typeof messageOf>[]) =>
      (await handler({ Records }, context)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
  };
}

test('a receipt is sent with what it says and an id that repeats', async () => {
  const m = mailer();
  expect(await m.receive(messageOf(job()))).toEqual([]);
  const { jobKey, ...receipt } = job();
  expect(m.sent).toEqual([{ id: jobKey, receipt }]);
});

// I2, I4
test('a payment gets one receipt, in however many messages its job comes', async () => {
  const m = mailer();
  await m.receive(messageOf(job()), messageOf(job('pay_2')), messageOf(job()));
  m.ambient.advance(6 * 60 * 1_000);
  expect(await m.receive(messageOf(job()))).toEqual([]);
  expect(m.sent.map(({ id }) => id)).toEqual(['receipt:pay_1', 'receipt:pay_2']);
});

test('a receipt that could not be sent comes again, and then is sent', async () => {
  const m = mailer();
  m.state.isDown = true;
  const message = messageOf(job());
  expect(await m.receive(message)).toEqual([message.messageId]);
  expect(m.failures()).toEqual(['Error: The mail server does not answer.']);
  m.state.isDown = false;
  expect(await m.receive(message)).toEqual([]);
  expect(m.sent).toHaveLength(1);
});

// I1
describe('a message that is no receipt job', () => {
  test.each<[string, object | string, string]>([
    ['no JSON', 'hello', 'no receipt job: the body (parse_json)'],
    ['no object', '[]', 'no receipt job: jobKey (object)'],
    ['without a payment', { ...job(), paymentId: undefined }, 'no receipt job: paymentId (object)'],
    ['with the key of another payment', job('pay_1', { jobKey: 'receipt:pay_2' }), 'no receipt job: the body (check)'],
    ['without an order', job('pay_1', { orderId: '' }), 'no receipt job: orderId (non_empty)'],
    ['with half a unit', job('pay_1', { amount: 0.5 }), 'no receipt job: amount (safe_integer)'],
    ['with a currency that is none', job('pay_1', { currency: 'uzs' }), 'no receipt job: currency (regex)'],
    ['of no time', job('pay_1', { createdAt: 'yesterday' }), 'no receipt job: createdAt (iso_timestamp)'],
  ])('because it is %s fails alone, on its way to the dead letters', async (_, body, reason) => {
    const m = mailer();
    const poison = messageOf(body);
    expect(await m.receive(messageOf(job('pay_8')), poison, messageOf(job('pay_9')))).toEqual([poison.messageId]);
    expect(m.sent.map(({ id }) => id)).toEqual(['receipt:pay_8', 'receipt:pay_9']);
    expect(m.failures()).toEqual([reason]);
  });

  test('is told apart from a job of newer code, which has more members', async () => {
    const m = mailer();
    expect(await m.receive(messageOf({ ...job(), locale: 'uz' }))).toEqual([]);
    expect(m.sent[0]?.receipt).not.toHaveProperty('locale');
  });
});
