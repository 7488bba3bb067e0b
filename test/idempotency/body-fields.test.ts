import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FieldRules, readRules, selectFields, writeRules } from '../../lib/idempotency/body-fields.ts';
import { MisuseError } from '../../lib/idempotency/errors.ts';
import { compare, fingerprintOf } from '../../lib/idempotency/fingerprint.ts';

const select = (body: unknown, rules: FieldRules) => selectFields(JSON.stringify(body), rules);
const same = (one: unknown, other: unknown, rules: FieldRules) => select(one, rules) === select(other, rules);

describe('excluded fields', () => {
  // C16
  test.each<[string, string, unknown, unknown]>([
    ['of the root', '/at', { a: 1, at: 1 }, { a: 1, at: 2 }],
    ['that are sometimes absent', '/at', { a: 1, at: 1 }, { a: 1 }],
    ['deep inside', '/sdk/data/at', { sdk: { data: { at: 1 }, v: 1 } }, { sdk: { data: { at: 2 }, v: 1 } }],
    ['of an element', '/items/1/at', { items: [{}, { at: 1 }] }, { items: [{}, { at: 2 }] }],
    ['that are an element', '/items/0', { items: [1, 2] }, { items: [3, 2] }],
    ['whose names have a slash or a tilde', '/a~1b~0c~01', { 'a/b~c~1': 1 }, {}],
    ['without a name', '/', { '': 1 }, {}],
    ['called __proto__', '/__proto__', JSON.parse('{"__proto__":1}'), {}],
    ['that are whole objects', '/sdk', { sdk: { at: 1 } }, { sdk: [2] }],
  ])('do not count: %s', (_, pointer, one, other) => {
    expect(same(one, other, { exclude: [pointer] })).toBe(true);
  });

  test.each<[string, string, unknown, unknown]>([
    ['a field beside', '/at', { a: 1, at: 1 }, { a: 2, at: 1 }],
    ['a field of that name elsewhere', '/at', { x: { at: 1 } }, { x: { at: 2 } }],
    ['the length of an array', '/items/0', { items: [1, 2] }, { items: [1] }],
    ['the other elements', '/items/0', { items: [1, 2] }, { items: [1, 3] }],
    ['what is behind the end of an array', '/items/-', { items: [1] }, { items: [1, 2] }],
    ['the array that has such a member only by nature', '/length', [1], [1, 2]],
    ['what is in a value that has no members', '/a/b', { a: 'b' }, { a: 'c' }],
  ])('leave all else: %s', (_, pointer, one, other) => {
    expect(same(one, other, { exclude: [pointer] })).toBe(false);
  });

  test('pollute no prototype', () => {
    select({}, { exclude: ['/__proto__/toString', '/constructor/prototype/toString'] });
    expect(typeof Object.prototype.toString).toBe('function');
  });
});

describe('selected fields', () => {
  test('are all that counts', () => {
    const rules = { include: ['/amount', '/to/iban'] };
    expect(same({ amount: 1, to: { iban: 'x', at: 1 } }, { to: { iban: 'x' }, amount: 1, at: 2 }, rules)).toBe(true);
    expect(same({ amount: 1, to: { iban: 'x' } }, { amount: 1, to: { iban: 'y' } }, rules)).toBe(false);
    expect(same({ amount: 1 }, { amount: 1, to: { iban: 'x' } }, rules)).toBe(false);
    expect(same({ amount: 1 }, { to: { iban: 1 } }, rules)).toBe(false);
  });

  test('may have parts that do not count', () => {
    const rules = { include: ['/sdk'], exclude: ['/sdk/at'] };
    expect(same({ sdk: { at: 1, v: 1 }, a: 1 }, { sdk: { at: 2, v: 1 }, a: 2 }, rules)).toBe(true);
  });

  test('that are all missing leave the whole body to count: a misspelled name is no field for all', () => {
    expect(same({ amount: 1 }, { amount: 2 }, { include: ['/amuont'] })).toBe(false);
  });
});

describe('rules', () => {
  test('are one whatever their order, and none where all counts', () => {
    expect(writeRules({ exclude: ['/b', '/a', '/b'] })).toBe('{"exclude":["/a","/b"]}');
    expect(writeRules({ include: ['/b', '/a'], exclude: [] })).toBe('{"include":["/a","/b"]}');
    expect([writeRules({}), writeRules({ exclude: [] })]).toEqual(['', '']);
    const body = { method: 'POST', route: '/', parameters: {}, query: [], contentType: 'application/json' };
    const request = { ...body, body: Buffer.from('{"a":1,"b":2,"c":3}') };
    const one = fingerprintOf(request, { include: ['/b', '/a'] });
    expect(one).toBe(fingerprintOf(request, { include: ['/a', '/b'] }));
    expect(one).toMatch(/^f1\{"include":\["\/a","\/b"\]\}:[\w-]{43}$/);
    expect(compare(one, { ...request, body: Buffer.from('{"b":2,"a":1}') })).toBe('same');
  });

  test.each<[string, FieldRules, string]>([
    ['a name', { exclude: ['amount'] }, 'is no JSON Pointer'],
    ['half an escape', { include: ['/a~2'] }, 'is no JSON Pointer'],
    ['the whole body', { exclude: [''] }, 'would make all bodies one'],
    ['nothing', { include: [] }, 'would make all bodies one'],
    ['more than a claim should carry', { exclude: [`/${'a'.repeat(512)}`] }, '529 characters, and 512 are allowed'],
  ])('that cannot be meant are refused: %s', (_, rules, reason) => {
    expect(() => writeRules(rules)).toThrow(MisuseError);
    expect(() => writeRules(rules)).toThrow(reason);
  });

  test('are read back as they were written, and nothing else is', () => {
    const rules = { exclude: ['/a', '/~0~1'], include: [''] };
    expect(readRules(writeRules(rules))).toEqual(rules);
    expect(readRules('')).toEqual({});
    for (const text of ['{', '{"exclude":["a"]}', '{"ignore":["/a"]}', '{ }']) expect(readRules(text)).toBeUndefined();
  });
});

describe('a stored fingerprint', () => {
  const request = {
    method: 'POST',
    route: 'POST /a',
    parameters: {},
    query: [],
    contentType: 'application/json',
    body: Buffer.from('{"a":1}'),
  };
  const digest = fingerprintOf(request).slice(3);

  // C17
  test.each([
    ['', 'another'],
    [undefined, 'another'],
    [7, 'another'],
    ['f1', 'another'],
    ['f1:', 'another'],
    [`f1:${digest}x`, 'another'],
    [`f1{"exclude":["/a"]}:${digest}`, 'another'],
    [`f1:${digest}`, 'same'],
    [`f9:${digest}`, 'incomparable'],
    [`f1{"ignore":["/a"]}:${digest}`, 'incomparable'],
  ])('%s is %s', (stored, comparison) => {
    expect(compare(stored, request)).toBe(comparison);
  });

  test('of an algorithm that is called like a member of every object cannot be compared', () => {
    expect(compare(`f1:${digest}`, request, { current: 'f1', known: {} })).toBe('incomparable');
  });

  test('is the request’s own for any body and any rules', () => {
    const pointer = fc
      .array(fc.constantFrom('a', 'b', '0', ''), { minLength: 1, maxLength: 2 })
      .map((steps) => `/${steps.join('/')}`);
    const rules = fc.record(
      { include: fc.array(pointer, { minLength: 1, maxLength: 3 }), exclude: fc.array(pointer, { maxLength: 3 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.jsonValue(), rules, (value, chosen) => {
        const one = { ...request, body: Buffer.from(JSON.stringify(value)) };
        expect(compare(fingerprintOf(one, chosen), one)).toBe('same');
      }),
    );
  });
});
