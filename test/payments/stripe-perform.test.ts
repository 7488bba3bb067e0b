import { describe, expect, it } from 'vitest';
import { newCall } from './stripe-call.ts';
import { answer, failure, intentOf, REPLAYED, scripted } from './stripe-script.ts';

const invalid = { type: 'invalid_request_error', code: 'resource_missing', message: 'No such PaymentMethod' };

describe('the request for a charge', () => {
  it('is byte for byte the same for each resend and carries the derived key', async () => {
    const call = newCall({ amount: 1234, currency: 'EUR' }, { operation: 'op', pk: 'address', key: 'derived' });
    const { stripe, asked } = await scripted([failure(500, {}), answer(200, intentOf(call))]);
    await stripe.perform(call);
    await stripe.perform({ ...call, timeoutMs: 4_000 });
    const [first, second] = asked;
    expect(second?.body).toBe(first?.body);
    expect([first?.headers['idempotency-key'], second?.headers['idempotency-key']]).toEqual(['derived', 'derived']);
    expect(first?.line).toBe('POST /v1/payment_intents');
    expect(Object.fromEntries(new URLSearchParams(first?.body))).toEqual({
      amount: '1234',
      currency: 'eur',
      payment_method: 'pm_card_visa',
      confirm: 'true',
      error_on_requires_action: 'true',
      'automatic_payment_methods[enabled]': 'true',
      'automatic_payment_methods[allow_redirects]': 'never',
      'metadata[tenant]': 'tenant-1',
      'metadata[order]': call.command.orderId,
      'metadata[operation]': 'op',
      'metadata[claim]': 'address',
    });
  });

  it('names no tenant where there is none', async () => {
    const call = newCall({ tenant: null });
    const intent = intentOf(call, {
      metadata: { order: call.command.orderId, operation: call.operation, claim: call.pk },
    });
    const { stripe, asked } = await scripted([answer(200, intent)]);
    expect(await stripe.perform(call)).toMatchObject({ kind: 'outcome' });
    expect(asked[0]?.body).not.toContain('tenant');
  });

  it('sends no telemetry', async () => {
    const { stripe, asked } = await scripted([failure(500, {}), failure(500, {})]);
    await stripe.perform(newCall());
    await stripe.perform(newCall());
    expect(asked[1]?.headers).not.toHaveProperty('x-stripe-client-telemetry');
    expect(asked[1]?.headers['x-stripe-client-user-agent']).not.toContain('platform');
  });
});

const BOUND = { tenant: 'tenant-1', order: 'order-x', operation: 'op-x', claim: 'claim-x' };

describe('what an answer to a charge proves', () => {
  it.each(['succeeded', 'processing'])('%s is performed, with that status', async (status) => {
    const call = newCall();
    const { stripe } = await scripted([answer(200, intentOf(call, { status }))]);
    expect(await stripe.perform(call)).toEqual({
      kind: 'outcome',
      outcome: { result: 'performed', ref: 'pi_1', detail: { status } },
    });
  });

  it.each([
    ['operation', { metadata: { ...BOUND, operation: 'other' } }],
    ['claim', { metadata: { ...BOUND, claim: 'other' } }],
    ['order', { metadata: { ...BOUND, order: 'other' } }],
    ['tenant', { metadata: { ...BOUND, tenant: 'other' } }],
    ['tenant', { metadata: { order: 'order-x', operation: 'op-x', claim: 'claim-x' } }],
    ['amount', { amount: 1 }],
    ['currency', { currency: 'usd' }],
  ])('a replayed success of another %s is foreign', async (what, differs) => {
    const call = newCall({ orderId: 'order-x' }, { operation: 'op-x', pk: 'claim-x' });
    const { stripe } = await scripted([answer(200, intentOf(call, differs), REPLAYED)]);
    expect(await stripe.perform(call)).toEqual({ kind: 'foreign', reason: `pi_1 is of another ${what}` });
  });

  it('a decline that carries another order is foreign and is not cancelled', async () => {
    const call = newCall();
    const other = intentOf(newCall(), { status: 'requires_payment_method', last_payment_error: { code: 'x' } });
    const { stripe, asked } = await scripted([failure(402, { type: 'card_error', payment_intent: other })]);
    expect(await stripe.perform(call)).toMatchObject({ kind: 'foreign' });
    expect(asked).toHaveLength(1);
  });

  it.each(['requires_capture', 'requires_confirmation', 'requires_payment_method', 'something_new'])(
    '%s proves nothing but leaves a trace',
    async (status) => {
      const call = newCall();
      const { stripe } = await scripted([answer(200, intentOf(call, { status }))]);
      expect(await stripe.perform(call)).toEqual({
        kind: 'unknown',
        reason: `intent is in ${status}`,
        providerRef: 'pi_1',
      });
    },
  );

  it.each([
    ['no JSON', '<html>'],
    ['half an answer', '{"id":'],
    ['a text', '"ok"'],
    ['a number', '5'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['an intent without metadata', '{"object":"payment_intent","id":"pi","status":"succeeded","metadata":null}'],
    ['an intent without a status', '{"object":"payment_intent","id":"pi","metadata":{}}'],
  ])('a 200 with %s is unknown', async (_, body) => {
    const { stripe } = await scripted([answer(200, body)]);
    expect(await stripe.perform(newCall())).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['a gateway page', 502, '<html>'],
    ['JSON that is not an error of Stripe', 503, '{"message":"Service Unavailable"}'],
    ['an error that is a text', 500, '{"error":"oops"}'],
    ['a refusal of something in between', 400, '{"message":"Bad Request"}'],
    ['an error of an unheard-of type', 400, '{"error":{"type":"proxy_error"}}'],
    ['an error under a 200', 200, '{"error":{"type":"invalid_request_error"}}'],
    ['an error without anything', 404, '{"error":{}}'],
    ['a redirect', 302, '{}'],
  ])('%s is unknown', async (_, status, body) => {
    const { stripe } = await scripted([answer(status, body)]);
    expect(await stripe.perform(newCall())).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['the key in use', 409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }],
    ['any conflict', 409, { type: 'invalid_request_error' }],
    ['a lock', 429, { type: 'invalid_request_error', code: 'lock_timeout' }],
    ['a 500 that is not stored', 500, { type: 'api_error' }],
    ['a decline without its intent', 402, { type: 'card_error', code: 'card_declined' }],
  ])('%s is unknown, with the request to look for', async (_, status, error) => {
    const { stripe } = await scripted([failure(status, error)]);
    expect(await stripe.perform(newCall())).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('req_1'),
    });
  });

  it('other parameters under the key prove that it is used up, and no more', async () => {
    const { stripe } = await scripted([failure(400, { type: 'idempotency_error' })]);
    expect(await stripe.perform(newCall())).toMatchObject({ kind: 'used-up' });
  });

  it.each([400, 404, 422])('a refusal in validation with %i is refused', async (status) => {
    const { stripe } = await scripted([failure(status, invalid)]);
    expect(await stripe.perform(newCall())).toEqual({
      kind: 'refused',
      reason: `${status} resource_missing req_1`,
    });
  });

  it('a refusal that is stored under the key is the proof that nothing was or will be charged', async () => {
    const { stripe } = await scripted([failure(400, invalid, REPLAYED)]);
    expect(await stripe.perform(newCall())).toEqual({ kind: 'outcome', outcome: { result: 'not-performed' } });
  });

  it('a refusal that carries an intent is read from the intent', async () => {
    const call = newCall();
    const { stripe } = await scripted([failure(400, { ...invalid, payment_intent: intentOf(call) })]);
    expect(await stripe.perform(call)).toMatchObject({ kind: 'outcome', outcome: { result: 'performed' } });
  });

  it.each([
    [401, { type: 'invalid_request_error' }],
    [403, { type: 'invalid_request_error' }],
    [429, { type: 'invalid_request_error', code: 'rate_limit' }],
    [400, { type: 'invalid_request_error', code: 'rate_limit' }],
  ])('%i %j was turned away before execution', async (status, error) => {
    const { stripe } = await scripted([failure(status, error)]);
    expect(await stripe.perform(newCall())).toMatchObject({ kind: 'not-executed' });
  });

  it('a stored 500 has used the key up', async () => {
    const { stripe } = await scripted([failure(500, { type: 'api_error' }, REPLAYED)]);
    expect(await stripe.perform(newCall())).toMatchObject({ kind: 'used-up' });
  });
});
