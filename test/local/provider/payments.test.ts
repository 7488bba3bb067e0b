import { describe, expect, it } from 'vitest';
import { charge, INTENTS, startDirect } from './direct.ts';

describe('payments at the simulator', () => {
  it('charges a good card at once and books one movement with what the metadata says', async () => {
    const provider = await startDirect();
    const { status, body } = await provider.post(INTENTS, charge('pm_card_visa', { 'metadata[tenant]': 't' }), 'k');
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'payment_intent', status: 'succeeded', amount: 1500, amount_received: 1500 });
    expect(await provider.ledger()).toEqual([
      {
        amount: 1500,
        currency: 'UZS',
        orderId: 'o-1',
        operation: 'op-1',
        tenant: 't',
        paymentIntent: body['id'],
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it.each([
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
  ])('declines %s with the intent back in requires_payment_method', async (method, code, decline) => {
    const provider = await startDirect();
    const { status, body } = await provider.post(INTENTS, charge(method), 'k');
    expect(status).toBe(402);
    expect(body['error']).toMatchObject({
      type: 'card_error',
      code,
      decline_code: decline,
      payment_intent: { status: 'requires_payment_method', last_payment_error: { code, decline_code: decline } },
    });
    expect(await provider.ledger()).toEqual([]);
  });

  it('fails a card that wants its owner when told to, and waits for the owner otherwise', async () => {
    const provider = await startDirect();
    const method = 'pm_card_authenticationRequired';
    const failed = await provider.post(INTENTS, charge(method, { error_on_requires_action: 'true' }));
    expect(failed.body['error']).toMatchObject({ code: 'authentication_required' });
    const waiting = await provider.post(INTENTS, charge(method));
    expect(waiting.body).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } });
  });

  it.each([
    [{ amount: '0' }, 'parameter_invalid_integer'],
    [{ amount: '1.5' }, 'parameter_invalid_integer'],
    [{ amount: '9999999999999' }, 'amount_too_large'],
    [{ payment_method: 'pm_nobody' }, 'resource_missing'],
  ])('refuses %j', async (wrong, code) => {
    const provider = await startDirect();
    const { status, body } = await provider.post(INTENTS, charge('pm_card_visa', wrong));
    expect(status).toBe(400);
    expect(body['error']).toMatchObject({ type: 'invalid_request_error', code });
  });

  it('refuses an unknown currency, a missing amount and a missing currency by name', async () => {
    const provider = await startDirect();
    const paramOf = async (params: Record<string, string>) =>
      (await provider.post(INTENTS, params)).body['error'] as unknown as { param: string };
    expect(await paramOf({ amount: '5', currency: 'xyz' })).toMatchObject({ param: 'currency' });
    expect(await paramOf({ currency: 'usd' })).toMatchObject({ param: 'amount', code: 'parameter_missing' });
    expect(await paramOf({ amount: '5' })).toMatchObject({ param: 'currency', code: 'parameter_missing' });
  });

  it('confirms an intent that was made without, once', async () => {
    const provider = await startDirect();
    const made = await provider.post(INTENTS, { amount: '700', currency: 'eur', description: 'x' });
    expect(made.body).toMatchObject({ status: 'requires_payment_method', description: 'x' });
    const path = `${INTENTS}/${made.body['id']}`;
    expect((await provider.post(`${path}/confirm`, {})).body['error']).toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
    expect((await provider.post(`${path}/confirm`, { payment_method: 'pm_nobody' })).status).toBe(400);
    const done = await provider.post(`${path}/confirm`, { payment_method: 'pm_card_visa' });
    expect(done.body).toMatchObject({ status: 'succeeded' });
    expect((await provider.post(`${path}/confirm`, {})).status).toBe(400);
    expect(await provider.ledger()).toHaveLength(1);
  });

  it('confirms with the method that the intent was made with', async () => {
    const provider = await startDirect();
    const made = await provider.post(INTENTS, { amount: '700', currency: 'eur', payment_method: 'pm_card_visa' });
    expect(made.body).toMatchObject({ status: 'requires_confirmation' });
    expect((await provider.post(`${INTENTS}/${made.body['id']}/confirm`, {})).body).toMatchObject({
      status: 'succeeded',
    });
  });

  it('cancels what is open, and forgets its last payment error with that', async () => {
    const provider = await startDirect();
    const { body } = await provider.post(INTENTS, charge('pm_card_chargeDeclined'));
    const { id } = (body['error'] as unknown as { payment_intent: { id: string } }).payment_intent;
    const cancelled = await provider.post(`${INTENTS}/${id}/cancel`, { cancellation_reason: 'abandoned' });
    expect(cancelled.body).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'abandoned',
      last_payment_error: null,
    });
    for (const verb of ['/cancel', '/confirm', '']) {
      const refused = await provider.post(`${INTENTS}/${id}${verb}`, {});
      expect(refused.status).toBe(400);
      expect(refused.body['error']).toMatchObject({ payment_intent: { id, status: 'canceled' } });
    }
  });

  it('merges metadata on an update', async () => {
    const provider = await startDirect();
    const made = await provider.post(INTENTS, charge());
    const path = `${INTENTS}/${made.body['id']}`;
    await provider.post(path, { 'metadata[note]': 'n', description: 'd' });
    const { body } = await provider.get(path);
    expect(body).toMatchObject({ description: 'd', metadata: { order: 'o-1', operation: 'op-1', note: 'n' } });
  });
});

describe('lists at the simulator', () => {
  it('gives pages, newest first, with a flag for more', async () => {
    const provider = await startDirect();
    for (const amount of ['1', '2', '3']) await provider.post(INTENTS, { amount, currency: 'usd' });
    const amounts = (body: unknown) => (body as { data: { amount: number }[] }).data.map(({ amount }) => amount);
    const first = await provider.get(`${INTENTS}?limit=2`);
    expect(amounts(first.body)).toEqual([3, 2]);
    expect(first.body).toMatchObject({ object: 'list', has_more: true });
    const last = (first.body as unknown as { data: { id: string }[] }).data[1]?.id;
    const second = await provider.get(`${INTENTS}?limit=2&starting_after=${last}`);
    expect(amounts(second.body)).toEqual([1]);
    expect(second.body).toMatchObject({ has_more: false });
  });

  it('filters by the second of creation', async () => {
    const provider = await startDirect();
    const { body } = await provider.post(INTENTS, { amount: '1', currency: 'usd' });
    const created = Number(body['created']);
    const count = async (query: string) =>
      ((await provider.get(`${INTENTS}?${query}`)).body as unknown as { data: unknown[] }).data.length;
    expect(await count(`created[gte]=${created}`)).toBe(1);
    expect(await count(`created[gt]=${created}`)).toBe(0);
    expect(await count(`created[lte]=${created}`)).toBe(1);
    expect(await count(`created[lt]=${created}`)).toBe(0);
    expect(await count(`created=${created}`)).toBe(1);
    expect(await count(`created=${created + 1}`)).toBe(0);
    expect(await count(`created[around]=${created}`)).toBe(1);
  });

  it('refuses a page size that Stripe does not know and a starting point that does not exist', async () => {
    const provider = await startDirect();
    expect((await provider.get(`${INTENTS}?limit=101`)).status).toBe(400);
    expect((await provider.get(`${INTENTS}?starting_after=pi_nobody`)).status).toBe(404);
  });
});

describe('the door of the simulator', () => {
  it('asks for a secret, as Bearer or as Basic', async () => {
    const { url } = await startDirect();
    const status = async (authorization?: string) =>
      (await fetch(`${url}${INTENTS}`, authorization === undefined ? {} : { headers: { authorization } })).status;
    expect(await status()).toBe(401);
    expect(await status('Bearer pk_test_public')).toBe(401);
    expect(await status('Digest sk_test_x')).toBe(401);
    expect(await status(`Basic ${btoa('sk_test_x:')}`)).toBe(200);
    expect(await status('Bearer sk_test_x')).toBe(200);
  });

  it.each([
    ['GET', '/v1/charges'],
    ['GET', '/v1/payment_intents/pi_nobody'],
    ['GET', '/v1/payment_intents/pi_nobody/cancel'],
    ['DELETE', '/v1/payment_intents/pi_nobody'],
    ['POST', '/v1/payment_intents/pi_nobody/cancel'],
    ['POST', '/v1/payment_intents/pi_nobody/confirm'],
    ['GET', '/local/nothing'],
  ])('answers 404 to %s %s', async (method, path) => {
    const { url } = await startDirect();
    const response = await fetch(`${url}${path}`, { method, headers: { authorization: 'Bearer sk_test_x' } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('refuses a body over a megabyte', async () => {
    const provider = await startDirect();
    const { status, body } = await provider.post(INTENTS, { description: 'x'.repeat(1024 * 1024) });
    expect(status).toBe(413);
    expect(body['error']).toMatchObject({ type: 'invalid_request_error' });
  });
});
