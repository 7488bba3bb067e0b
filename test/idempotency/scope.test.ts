import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digest } from '../../lib/idempotency/digest.ts';
import type { IdempotencyKey } from '../../lib/idempotency/key.ts';
import { claimAddress, type Principal, providerKeyOf, scopeOf } from '../../lib/idempotency/scope.ts';

const key = (text: string) => text as IdempotencyKey;

describe("a claim's address", () => {
  // C19, C20
  test.each<[string, Principal, string, Principal, string]>([
    ['two subjects', { subject: 'alice' }, 'k', { subject: 'bob' }, 'k'],
    ['two tenants', { tenant: 'a', subject: 's' }, 'k', { tenant: 'b', subject: 's' }, 'k'],
    ['a tenant and none', { tenant: '', subject: 's' }, 'k', { subject: 's' }, 'k'],
    [
      'a tenant that looks like a delimiter',
      { tenant: 'a#b', subject: 's' },
      'c',
      { tenant: 'a', subject: 's' },
      'b#c',
    ],
    ['a subject that runs into its key', { subject: 'a:b' }, 'c', { subject: 'a' }, 'b:c'],
    [
      'a subject that is called like the tag of tenants',
      { subject: 'tenant' },
      'k',
      { tenant: '', subject: 'tenant' },
      'k',
    ],
    ['two keys that differ in case', { subject: 's' }, 'ABC', { subject: 's' }, 'abc'],
  ])('is not shared by %s', (_, one, oneKey, other, otherKey) => {
    expect(claimAddress(one, key(oneKey))).not.toBe(claimAddress(other, key(otherKey)));
  });

  test('holds nothing of the key or the principal', () => {
    const address = claimAddress({ tenant: 'tenant', subject: 'subject' }, key('secret'));
    expect(address).toMatch(/^[\w-]{43}$/);
  });

  test('is no scope, so that neither can stand for the other', () => {
    expect(scopeOf({ subject: 's' })).not.toBe(claimAddress({ subject: 's' }, key('')));
  });
});

describe('the key at the provider', () => {
  // F3, F4, F5
  test('is the same for every call of an operation and another for every other', () => {
    expect(providerKeyOf('pk', 'op-1')).toBe(providerKeyOf('pk', 'op-1'));
    expect(providerKeyOf('pk', 'op-1')).not.toBe(providerKeyOf('pk', 'op-2'));
    expect(providerKeyOf('pk-1', 'op')).not.toBe(providerKeyOf('pk-2', 'op'));
  });
});

describe('a digest', () => {
  // C20
  test('differs for tuples that differ, wherever their parts are cut', () => {
    const parts = fc.array(fc.oneof(fc.string(), fc.constantFrom('', ':', '1:', '1:a', '0:')), { maxLength: 5 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(digest(a) === digest(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      {
        examples: [
          [
            ['a', 'bc'],
            ['ab', 'c'],
          ],
          [['a'], ['a', '']],
          [['1:a'], ['a']],
        ],
      },
    );
  });

  test('measures in bytes, for text as for bytes', () => {
    expect(digest(['ü', 'a'])).toBe(digest([Buffer.from('ü'), Buffer.from('a')]));
  });
});
