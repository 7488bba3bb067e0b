import { describe, expect, test } from 'vitest';
import { apiEvent, invoke, replyOf } from '../support/events.ts';
import { type PaidOrder, paid } from '../support/paid-order.ts';
import { SECRET, type StripeEvent } from '../support/payment-service.ts';

describe('the signature', () => {
  // H8
  test.each<[string, (s: PaidOrder, body: string) => object]>([
    ['is missing', (s, body) => ({ ...s.signed(body), headers: {} })],
    ['is of another secret', (s, body) => s.signed(body, 'whsec_other')],
    ['is of another body', (s, body) => ({ ...s.signed(body), body: `${body} ` })],
    ['is five minutes and a second old', (s, body) => s.signed(body, SECRET, s.ambient.now() - 301_000)],
    ['is no signature', (s, body) => ({ ...s.signed(body), headers: { 'stripe-signature': 'v1=,t=' } })],
    ['is of an older scheme only', (s, body) => withScheme(s.signed(body), 'v0')],
  ])('that %s is refused before anything is stored or asked', async (_, change) => {
    const s = await paid('lost');
    const before = s.store.calls.length;
    const body = JSON.stringify(s.eventOf(s.payment));
    const reply = await invoke(s.webhook, change(s, body), s.webhookContext());
    expect([reply.status, reply.json['code'], reply.json['retry']]).toEqual([400, 'webhook-refused', 'no']);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect([s.store.calls.length, s.bank.lookups(), s.queue.jobs]).toEqual([before, 0, []]);
    expect(s.kinds().at(-1)).toBe('webhook-refused');
  });

  // H8: a forged delivery does not take the id of a genuine one
  test('that is forged leaves the event id to the genuine delivery', async () => {
    const s = await paid();
    const body = JSON.stringify(s.eventOf(s.payment));
    expect((await invoke(s.webhook, s.signed(body, 'whsec_other'), s.webhookContext())).status).toBe(400);
    expect(await s.send()).toMatchObject({ status: 200, json: { result: 'done' } });
  });

  // H8: a genuine delivery that is caught and sent again within the tolerance
  test('that is sent again is a duplicate within five minutes, and refused after them', async () => {
    const s = await paid();
    const caught = s.signed(JSON.stringify(s.eventOf(s.payment)));
    await invoke(s.webhook, caught, s.webhookContext());
    s.ambient.advance(299_000);
    expect((await invoke(s.webhook, caught, s.webhookContext())).json).toEqual({ result: 'already-done' });
    s.ambient.advance(2_000);
    expect((await invoke(s.webhook, caught, s.webhookContext())).status).toBe(400);
    expect(s.queue.jobs).toHaveLength(1);
  });

  test('is over the raw bytes, also where the gateway brings them as base64', async () => {
    const s = await paid();
    const body = ` ${JSON.stringify({ ...s.eventOf(s.payment), note: 'naïve ☂' }, null, 2)}\r\n`;
    const event = { ...apiEvent(s.signed(body)), body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
    const result = await s.webhook(event, s.webhookContext());
    expect(replyOf(result as object)).toMatchObject({ status: 200, json: { result: 'done' } });
  });

  test('holds when one of several is right, as while Stripe rolls the secret', async () => {
    const s = await paid();
    const request = s.signed(JSON.stringify(s.eventOf(s.payment)));
    const header = request.headers['Stripe-Signature'].replace('v1=', `v1=${'0'.repeat(64)},v1=`);
    const reply = await invoke(s.webhook, { ...request, headers: { 'stripe-signature': header } }, s.webhookContext());
    expect(reply.status).toBe(200);
  });

  test('cannot be checked without the secret: the delivery must come again', async () => {
    const s = await paid();
    const body = JSON.stringify(s.eventOf(s.payment));
    const webhook = s.webhookWith({ webhookSecret: () => Promise.reject(new Error('no secret')) });
    expect((await invoke(webhook, s.signed(body), s.webhookContext())).status).toBe(500);
  });
});

const withScheme = <T extends { headers: { 'Stripe-Signature': string } }>(request: T, scheme: string): T => ({
  ...request,
  headers: { 'Stripe-Signature': request.headers['Stripe-Signature'].replace('v1=', `${scheme}=`) },
});

describe('an event of no concern', () => {
  test.each<[string, StripeEvent]>([
    ['of another type', { type: 'charge.refunded' }],
    ['of an intent that was only made', { type: 'payment_intent.created' }],
    ['without an operation', { metadata: { claim: 'c' } }],
    ['without a claim', { metadata: { operation: 'o' } }],
    ['of an intent that closed a key', { metadata: { claim: 'c', operation: 'o', purpose: 'close' } }],
    ['of another system with names like ours', { metadata: { claim: '', operation: '' } }],
  ])('%s is answered 200, stores nothing and is logged', async (_, event) => {
    const s = await paid('lost');
    const before = s.store.calls.length;
    expect(await s.send(event)).toMatchObject({ status: 200, json: { result: 'ignored' } });
    expect([s.store.calls.length, s.bank.lookups()]).toEqual([before, 0]);
    expect(s.events.at(-1)).toMatchObject({ kind: 'webhook-ignored', event: 'evt_pi_1' });
  });

  // H3: also for an unknown payment
  test('because nobody here knows its claim is answered 200 and logged', async () => {
    const s = await paid();
    const reply = await s.send({ metadata: { claim: 'elsewhere', operation: 'op-elsewhere' } });
    expect(reply).toMatchObject({ status: 200, json: { result: 'done' } });
    expect(s.events).toContainEqual(expect.objectContaining({ kind: 'webhook-ignored', reason: expect.any(String) }));
  });

  test.each(['[]', 'null', '7', '{}', '{"id":"evt_1"}', '{"type":"x"}', '{"object":"v2.core.event"}', 'no json'])(
    'that is signed and is %s is refused',
    async (body) => {
      const s = await paid();
      expect((await invoke(s.webhook, s.signed(body), s.webhookContext())).status).toBe(400);
    },
  );

  test('that has no object is ignored', async () => {
    const s = await paid();
    for (const data of [undefined, {}, { object: null }, { object: { object: 'charge', id: 'ch_1' } }]) {
      const body = JSON.stringify({ id: 'evt_1', type: 'payment_intent.succeeded', data });
      expect((await invoke(s.webhook, s.signed(body), s.webhookContext())).json).toEqual({ result: 'ignored' });
    }
  });
});
