import { describe, expect, test } from 'vitest';
import { type MaximumAmounts, readPayment } from '../../lib/payments/request.ts';

const PAYMENT = { orderId: 'order-1', amount: 150_000, currency: 'UZS', paymentMethod: 'pm_card_visa' };

const readText = (body: string | Uint8Array, contentType = 'application/json', maximumAmounts?: MaximumAmounts) =>
  readPayment({ contentType, body: Buffer.from(body) }, maximumAmounts);
const read = (part: Record<string, unknown>) => readText(JSON.stringify({ ...PAYMENT, ...part }));

/** What a refusal says, with the first of its errors. */
function refusal(reading: ReturnType<typeof readPayment>) {
  if (reading.kind !== 'refused') throw new Error('It was not refused.');
  const { type, detail, extensions } = reading.problem;
  const [first] = (extensions?.['errors'] ?? []) as { pointer: string; received: string; expected: string }[];
  return { code: type.code, detail, first };
}

describe('a payment', () => {
  test('is read as it was sent', () => {
    expect(read({})).toEqual({ kind: 'payment', payment: PAYMENT });
  });

  test.each([
    ['one minor unit', { amount: 1 }],
    ['the largest amount', { amount: 999_999_999_999 }],
    ['the longest order id', { orderId: 'x'.repeat(64) }],
    ['an order id of signs', { orderId: '~!#/%"' }],
    ['the longest payment method', { paymentMethod: 'p'.repeat(128) }],
  ])('of %s is accepted', (_, part) => {
    expect(read(part).kind).toBe('payment');
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.shop+json'])(
    'sent as %s is JSON',
    (type) => {
      expect(readText(JSON.stringify(PAYMENT), type).kind).toBe('payment');
    },
  );

  test('whose amount is written in another way is the same number', () => {
    const text = JSON.stringify(PAYMENT).replace('150000', '1.5e5');
    expect(readText(text)).toEqual({ kind: 'payment', payment: PAYMENT });
  });
});

describe('a payment that cannot be accepted', () => {
  // B4
  test.each<[string, Record<string, unknown>, string, string, string]>([
    ['no order', { orderId: undefined }, '/orderId', 'nothing', 'a value: the member is required'],
    ['an empty order id', { orderId: '' }, '/orderId', '""', '1 to 64 visible ASCII characters'],
    [
      'a long order id',
      { orderId: 'x'.repeat(65) },
      '/orderId',
      `"${'x'.repeat(63)}…`,
      '1 to 64 visible ASCII characters',
    ],
    ['an order id with a blank', { orderId: 'a b' }, '/orderId', '"a b"', '1 to 64 visible ASCII characters'],
    ['an order id that is a number', { orderId: 7 }, '/orderId', '7', 'a string'],
    ['a negative amount', { amount: -5 }, '/amount', '-5', 'at least 1 minor unit'],
    ['nothing to pay', { amount: 0 }, '/amount', '0', 'at least 1 minor unit'],
    ['a fraction of a minor unit', { amount: 1.5 }, '/amount', '1.5', 'a whole number of minor units'],
    ['too much', { amount: 1e12 }, '/amount', '1000000000000', 'at most 999999999999 minor units'],
    ['an amount in words', { amount: '100' }, '/amount', '"100"', 'a number'],
    [
      'no such currency',
      { currency: 'XYZ' },
      '/currency',
      '"XYZ"',
      'an ISO 4217 code in upper case, for example "UZS"',
    ],
    ['a currency in lower case', { currency: 'uzs' }, '/currency', '"uzs"', 'an ISO 4217 code'],
    ['an empty payment method', { paymentMethod: '' }, '/paymentMethod', '""', 'visible ASCII characters'],
    ['a long payment method', { paymentMethod: 'p'.repeat(129) }, '/paymentMethod', '…', 'at most 128 characters'],
    ['another member', { tip: 1 }, '/tip', 'an unknown member', 'only orderId, amount, currency, paymentMethod'],
    ['a member with signs in its name', { 'a/b~c': 1 }, '/a~1b~0c', 'an unknown member', 'only orderId'],
  ])('with %s names the member, what was received and what is allowed', (_, part, pointer, received, expected) => {
    const { code, detail, first } = refusal(read(part));
    expect(code).toBe('request-invalid');
    expect(first).toEqual({
      pointer,
      received: expect.stringContaining(received),
      expected: expect.stringContaining(expected),
    });
    expect(detail).toContain(`The member ${pointer} cannot be accepted: received ${first?.received}, expected`);
  });

  test('in more than one way is told all of them', () => {
    const reading = read({ amount: 0, currency: 'x', orderId: '' });
    expect(reading).toMatchObject({ problem: { extensions: { errors: [{}, {}, {}] } } });
  });

  test.each([
    ['an array', '[]'],
    ['null', 'null'],
    ['text', '"x"'],
  ])('because it is %s is told that an object is needed', (_, text) => {
    const { detail, first } = refusal(readText(text));
    expect(first).toMatchObject({ pointer: '', expected: 'a JSON object' });
    expect(detail).toMatch(/^The body cannot be accepted/);
  });

  test('does not show more of a hostile name than a line', () => {
    const { first } = refusal(read({ ['x'.repeat(10_000)]: 1 }));
    expect(first?.pointer.length).toBeLessThan(70);
  });

  // C3
  test('with a member called __proto__ pollutes nothing', () => {
    const text = JSON.stringify(PAYMENT).replace('{', '{"__proto__":{"amount":1},');
    expect(refusal(readText(text)).first?.pointer).toBe('/__proto__');
  });

  // C4, C6, C7, C10
  test.each<[string, string | Uint8Array]>([
    ['broken', '{"orderId":'],
    ['naming a member twice', JSON.stringify(PAYMENT).replace('{', '{"amount":1,')],
    ['holding a number that no double holds', JSON.stringify(PAYMENT).replace('150000', '9007199254740993')],
    ['holding a number beyond every double', JSON.stringify(PAYMENT).replace('150000', '1e400')],
    ['nested absurdly deep', '['.repeat(200_000)],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
    ['holding a lone surrogate', JSON.stringify(PAYMENT).replace('order-1', '\\ud800')],
    ['beginning with a byte order mark', `\ufeff${JSON.stringify(PAYMENT)}`],
  ])('because its JSON is %s is refused before anything else is looked at', (_, body) => {
    const { code, detail } = refusal(readText(body));
    expect(code).toBe('request-invalid');
    expect(detail).toContain('cannot be read as JSON without loss');
  });

  test('because it is empty is told so', () => {
    expect(refusal(readText(''))).toMatchObject({
      code: 'request-invalid',
      detail: expect.stringContaining('no body'),
    });
  });

  test.each([
    ['text/plain', '"text/plain"'],
    ['', 'no media type'],
    ['application/jsonp', '"application/jsonp"'],
    ['text/json-ish; x=application/json', '"text/json-ish'],
  ])('because it was sent as "%s" is told to send JSON', (type, shown) => {
    const { code, detail } = refusal(readText(JSON.stringify(PAYMENT), type));
    expect(code).toBe('media-type-unsupported');
    expect(detail).toContain(`was sent as ${shown}`);
  });
});

describe('a lower maximum of a currency', () => {
  test('holds for that currency and for no other', () => {
    const maximum = { UZS: 149_999 };
    const { first } = refusal(readText(JSON.stringify(PAYMENT), 'application/json', maximum));
    expect(first).toEqual({ pointer: '/amount', received: '150000', expected: 'at most 149999 minor units of UZS' });
    expect(readText(JSON.stringify({ ...PAYMENT, currency: 'USD' }), 'application/json', maximum).kind).toBe('payment');
    expect(readText(JSON.stringify({ ...PAYMENT, amount: 149_999 }), 'application/json', maximum).kind).toBe('payment');
  });
});
