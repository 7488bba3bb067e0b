import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintOf, type RequestIdentity } from '../../lib/idempotency/fingerprint.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

const REQUEST: RequestIdentity = {
  method: 'POST',
  route: 'POST /payments',
  parameters: {},
  query: [],
  contentType: 'application/json',
  body: bytes('{"amount":1}'),
};

const of = (part: Partial<RequestIdentity>) => fingerprintOf({ ...REQUEST, ...part });
const json = (text: string) => of({ body: bytes(text) });

describe('one request', () => {
  // C1, C5, C8, C14
  test.each<[string, Partial<RequestIdentity>, Partial<RequestIdentity>]>([
    ['member order', { body: bytes('{"a":1,"o":{"x":1,"y":2}}') }, { body: bytes('{"o":{"y":2,"x":1},"a":1}') }],
    ['white space', { body: bytes('{"a":[1,2]}') }, { body: bytes(' {\r\n"a" :\t[ 1 , 2 ] } ') }],
    ['an exponent', { body: bytes('{"a":1000}') }, { body: bytes('{"a":1e3}') }],
    ['a fraction of zeros', { body: bytes('{"a":1000}') }, { body: bytes('{"a":1000.0}') }],
    ['the sign of zero', { body: bytes('{"a":0}') }, { body: bytes('{"a":-0}') }],
    ['escapes', { body: bytes('{"a":"é"}') }, { body: bytes('{"\\u0061":"\\u00e9"}') }],
    ['a charset parameter', {}, { contentType: 'application/json; charset=utf-8' }],
    ['the case of a media type', {}, { contentType: 'Application/JSON' }],
    ['the order of parameters', { parameters: { a: '1', b: '2' } }, { parameters: { b: '2', a: '1' } }],
    [
      'the order of query names',
      {
        query: [
          ['a', '1'],
          ['b', '2'],
          ['a', '3'],
        ],
      },
      {
        query: [
          ['b', '2'],
          ['a', '1'],
          ['a', '3'],
        ],
      },
    ],
    [
      'member order of a structured-suffix type',
      { contentType: 'application/merge-patch+json', body: bytes('{"a":1,"b":2}') },
      { contentType: 'application/merge-patch+json', body: bytes('{"b":2,"a":1}') },
    ],
  ])('stays one whatever %s', (_, one, other) => {
    expect(of(one)).toBe(of(other));
  });
});

describe('two requests', () => {
  // C2, C3, C4, C5, C6, C7, C8, C11, C14
  test.each<[string, Partial<RequestIdentity>, Partial<RequestIdentity>]>([
    ['method', {}, { method: 'PATCH' }],
    ['route', {}, { route: 'POST /refunds' }],
    ['the resource in the path', { parameters: { id: '1' } }, { parameters: { id: '2' } }],
    ['which parameter holds a value', { parameters: { a: '1' } }, { parameters: { b: '1' } }],
    ['query', { query: [['a', '1']] }, { query: [['a', '2']] }],
    [
      'the order of one name’s values',
      {
        query: [
          ['a', '1'],
          ['a', '2'],
        ],
      },
      {
        query: [
          ['a', '2'],
          ['a', '1'],
        ],
      },
    ],
    ['a parameter that might be a query', { parameters: { a: '1' } }, { query: [['a', '1']] }],
    ['media type', { contentType: 'application/json' }, { contentType: 'text/plain' }],
    ['the presence of a media type', {}, { contentType: '' }],
    ['the order of an array', { body: bytes('[1,2]') }, { body: bytes('[2,1]') }],
    ['a string and a number', { body: bytes('{"a":"10.00"}') }, { body: bytes('{"a":10}') }],
    ['{} and null', { body: bytes('{}') }, { body: bytes('null') }],
    ['null and nothing', { body: bytes('null') }, { body: bytes('') }],
    ['{} and nothing', { body: bytes('{}') }, { body: bytes('') }],
    ['an empty string and nothing', { body: bytes('""') }, { body: bytes('') }],
    ['a member called __proto__', { body: bytes('{"a":1,"__proto__":{"fee":9}}') }, { body: bytes('{"a":1}') }],
    [
      'the value of a member called __proto__',
      { body: bytes('{"__proto__":{"fee":9}}') },
      { body: bytes('{"__proto__":{"fee":8}}') },
    ],
    ['a member called toJSON', { body: bytes('{"toJSON":1}') }, { body: bytes('{}') }],
    [
      'integers that one double cannot tell apart',
      { body: bytes('{"a":9007199254740992}') },
      { body: bytes('{"a":9007199254740993}') },
    ],
    ['negative ones', { body: bytes('{"a":-9007199254740992}') }, { body: bytes('{"a":-9007199254740993}') }],
    ['a number beyond every double and null', { body: bytes('{"a":1e400}') }, { body: bytes('{"a":null}') }],
    ['two numbers beyond every double', { body: bytes('{"a":1e400}') }, { body: bytes('{"a":2e400}') }],
    ['a number below every double and zero', { body: bytes('{"a":1e-400}') }, { body: bytes('{"a":0}') }],
    [
      'fractions that one double cannot tell apart',
      { body: bytes('{"a":0.1}') },
      { body: bytes('{"a":0.1000000000000000055}') },
    ],
    ['a member named twice and its last value', { body: bytes('{"a":100,"a":1}') }, { body: bytes('{"a":1}') }],
    ['a member named twice under an escape', { body: bytes('{"a":100,"\\u0061":1}') }, { body: bytes('{"a":1}') }],
    ['lone surrogates', { body: bytes('{"n":"\\ud800"}') }, { body: bytes('{"n":"\\udead"}') }],
    ['lone surrogates in names', { body: bytes('{"\\ud800":1}') }, { body: bytes('{"\\udead":1}') }],
    ['bytes that are no UTF-8', { body: Uint8Array.of(0x22, 0xff, 0x22) }, { body: Uint8Array.of(0x22, 0xfe, 0x22) }],
    ['composed and decomposed letters', { body: bytes('{"n":"\u00e9"}') }, { body: bytes('{"n":"e\u0301"}') }],
    ['a byte order mark', { body: bytes('\ufeff{"a":1}') }, { body: bytes('{"a":1}') }],
    ['broken JSON', { body: bytes('{"a":1') }, { body: bytes('{"a":1}') }],
    [
      'white space in a text that is not JSON',
      { contentType: 'text/plain', body: bytes('{ }') },
      { contentType: 'text/plain', body: bytes('{}') },
    ],
  ])('are told apart by %s', (_, one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  test('are not conflated by bytes that look like the canonical form of the other', () => {
    const doubled = '{"a":1,"a":1}';
    expect(json(doubled)).not.toBe(json('{"a":1}'));
    expect(of({ contentType: 'text/plain', body: bytes('{"a":1}') })).not.toBe(json('{"a":1}'));
  });
});

describe('numbers', () => {
  // C4, C5
  test.each([
    ['9007199254740991', '9007199254740991.0'],
    ['123456789012345680000', '1.2345678901234568e20'],
    ['0.000001', '1e-6'],
    ['0.0', '0e5'],
    ['-0.0', '0'],
    ['1.50', '15e-1'],
    ['100e-2', '1'],
    ['5e-324', '5E-324'],
  ])('%s and %s are one number', (one, other) => {
    expect(json(`[${one}]`)).toBe(json(`[${other}]`));
  });

  test('that a double prints as they are keep their canonical form at any length', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(json(`[ ${String(number)} ]`)).toBe(json(`[${String(number)}]`));
      }),
    );
  });
});
