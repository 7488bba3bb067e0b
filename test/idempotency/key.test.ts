import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkKey, KEY_LENGTH_MAX, readKey } from '../../lib/idempotency/key.ts';

const longest = 'a'.repeat(KEY_LENGTH_MAX);

describe('a key header', () => {
  // D4
  test.each([
    ['quoted', '"8e03978e"', '8e03978e'],
    ['bare', '8e03978e', '8e03978e'],
    [
      'a bare UUID that begins with a digit',
      '3f1c2b8e-7d0a-4a53-9b7e-0d9f6c2a1b44',
      '3f1c2b8e-7d0a-4a53-9b7e-0d9f6c2a1b44',
    ],
    ['quoted with parameters, which carry no meaning', '"k";v=1', 'k'],
    ['quoted with escapes', '"a\\"b\\\\c"', 'a"b\\c'],
    ['quoted with a comma', '"a,b"', 'a,b'],
    ['surrounded by optional white space', ' \tk \t', 'k'],
    ['quoted and surrounded by optional white space', '\t"k" ', 'k'],
    ['as long as allowed', longest, longest],
    ['quoted and as long as allowed', `"${longest}"`, longest],
    [
      'bare with every sign that is not a separator',
      "!#$%&'()*+-./:;<=>?@[\\]^_`{|}~",
      "!#$%&'()*+-./:;<=>?@[\\]^_`{|}~",
    ],
  ])('%s is read', (_, line, key) => {
    expect(readKey([line])).toEqual({ kind: 'key', key });
  });

  // D1, D3, D4, D5
  test.each([
    ['empty', '', 'it is empty'],
    ['blank', ' \t ', 'it is empty'],
    ['an empty quoted string', '""', 'it is empty'],
    ['a quoted string of blanks', '"   "', 'visible ASCII'],
    ['one character too long', `${longest}a`, 'it has 256 characters, and 255 are allowed'],
    ['far too long', 'a'.repeat(5_000), 'it has 5000 characters'],
    ['quoted and one character too long', `"${longest}a"`, 'it has 256 characters'],
    ['two values in one line', 'k1,k2', 'it holds a comma'],
    ['two quoted values in one line', '"k1", "k2"', 'malformed'],
    ['half-quoted at the beginning', '"k', 'the quoted string is malformed'],
    ['half-quoted at the end', 'k"', 'it holds a quotation mark but does not begin with one'],
    ['followed by other bytes', '"k" x', 'malformed'],
    ['a quoted string with an unknown escape', '"\\n"', 'malformed'],
    ['a quoted string with a tab', '"a\tb"', 'malformed'],
    ['a quoted string with a letter that is not ASCII', '"kalit-ü"', 'malformed'],
    ['with a tab inside', 'a\tb', 'visible ASCII'],
    ['with a blank inside', 'a b', 'visible ASCII'],
    ['with a letter that is not ASCII', 'kalit-ü', 'visible ASCII'],
    ['with a NUL', 'a\0', 'visible ASCII'],
    ['surrounded by blanks that HTTP does not know', '\u00a0k\u00a0', 'visible ASCII'],
    ['ended by a line break', 'k\n', 'visible ASCII'],
  ])('that is %s is refused with the reason, and never taken for a missing one', (_, line, reason) => {
    expect(readKey([line])).toEqual({ kind: 'invalid', reason: expect.stringContaining(reason) });
  });

  test('that was not sent is missing', () => {
    expect(readKey([])).toEqual({ kind: 'missing' });
  });

  // D3
  test('that was sent twice is refused, even with the same value', () => {
    const reason = '2 values were sent; send exactly one';
    expect(readKey(['k1', 'k2'])).toEqual({ kind: 'invalid', reason });
    expect(readKey(['k', 'k'])).toEqual({ kind: 'invalid', reason });
  });

  // D5
  test('has case', () => {
    expect(readKey(['ABC'])).not.toEqual(readKey(['abc']));
  });
});

describe('whatever the header holds', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme-ascii' }).map((text) => `"${text}`),
    fc
      .string({ unit: fc.constantFrom('"', '\\', ';', '=', ' ', ',', 'a', '*', '@', '%', ':', '(', '1') })
      .map((text) => `"${text}`),
  );

  test('reading it never throws and never calls it missing', () => {
    fc.assert(
      fc.property(anything, (line) => {
        expect(['key', 'invalid']).toContain(readKey([line]).kind);
      }),
      { numRuns: 2_000 },
    );
  });

  test('every key of visible ASCII is read back from its quoted form', () => {
    const visible = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
      maxLength: 255,
    });
    fc.assert(
      fc.property(visible, (key) => {
        expect(readKey([`"${key.replaceAll(/["\\]/g, '\\$&')}"`])).toEqual({ kind: 'key', key });
        expect(checkKey(key)).toEqual({ kind: 'key', key });
      }),
    );
  });
});
