import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Local, orderId, payment, startLocal } from './local.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal();
});
afterAll(() => local.stop());

const text = (members: Record<string, unknown>) => JSON.stringify({ ...payment('order-x'), ...members });
const raw = (amount: string) => `{"orderId":"o","amount":${amount},"currency":"UZS","paymentMethod":"pm_card_visa"}`;

/** What is sent, and what the answer must name of it. */
const BODIES: readonly (readonly [what: string, body: string, named: RegExp])[] = [
  ['broken JSON', '{"orderId":', /JSON/],
  ['no body', '', /no body/],
  ['an array', '[]', /object/],
  ['null', 'null', /object/],
  ['a string', '"pay"', /object/],
  ['fifty thousand brackets', '['.repeat(50_000), /JSON/],
  ['deep but balanced JSON', `${'['.repeat(200)}${']'.repeat(200)}`, /nested/],
  ['a member twice', '{"orderId":"o","orderId":"o"}', /twice/],
  ['a fraction', raw('1.5'), /amount.*1\.5.*whole/],
  ['a text for an amount', raw('"5"'), /amount.*"5".*number/i],
  ['zero', raw('0'), /amount.*0.*at least 1/],
  ['a negative amount', raw('-5'), /amount.*-5/],
  ['an amount that no double holds', raw('9007199254740993'), /double/],
  ['an amount beyond everything', raw('1e400'), /double/],
  ['an amount above the limit', raw('1000000000000'), /at most 999999999999/],
  ['a currency in lower case', text({ currency: 'uzs' }), /currency.*"uzs".*ISO 4217/],
  ['a currency that is none', text({ currency: 'XXQ' }), /currency.*ISO 4217/],
  ['no order', JSON.stringify({ amount: 5, currency: 'UZS', paymentMethod: 'pm_card_visa' }), /orderId/],
  ['a long order', text({ orderId: 'x'.repeat(5000) }), /orderId.*64/],
  ['an order of spaces', text({ orderId: '   ' }), /orderId.*visible/],
  ['an unknown member', text({ tip: 5 }), /tip.*unknown/],
  ['a member called __proto__', '{"__proto__":{"amount":1}}', /./],
  ['no payment method', text({ paymentMethod: '' }), /paymentMethod/],
  ['a long payment method', text({ paymentMethod: 'p'.repeat(500) }), /paymentMethod/],
];

describe('a payment that cannot be meant', () => {
  it.each(BODIES)(
    'is refused with a problem that says what came and what is allowed: %s',
    async (_what, body, named) => {
      const key = randomUUID();
      const refused = await local.pay(key, body);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.status).toBeLessThan(500);
      expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(refused.body['detail']).toMatch(named);
      expect((await local.get(`/idempotency-keys/${key}`)).status).toBe(404);
    },
  );

  it('is refused as another media type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream']) {
      const refused = await local.pay(randomUUID(), payment(orderId()), 'alice', { 'content-type': type });
      expect([refused.status, refused.body.code]).toEqual([415, 'media-type-unsupported']);
      expect(refused.body['detail']).toContain(type);
    }
  });

  it('is refused when it is far too large', async () => {
    const refused = await local.pay(randomUUID(), text({ orderId: 'x'.repeat(4_000_000) }));
    expect([refused.status, refused.body.code]).toEqual([400, 'request-invalid']);
    expect(refused.text.length).toBeLessThan(2000);
  });

  it('is refused without a key, and with a key that is none', async () => {
    const missing = await local.pay(undefined, payment(orderId()));
    expect([missing.status, missing.body.code]).toEqual([400, 'idempotency-key-missing']);
    const invalid = await local.pay('two words', payment(orderId()));
    expect([invalid.status, invalid.body.code]).toEqual([400, 'idempotency-key-invalid']);
  });
});
