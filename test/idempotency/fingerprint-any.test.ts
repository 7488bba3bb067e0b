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

describe('hostile bodies', () => {
  // C10
  test.each([
    ['nested 200,000 deep', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['nested 200,000 deep and never closed', '{"a":'.repeat(200_000)],
    ['a number of a million digits with zeros inside', `[1${'0'.repeat(1_000_000)}1]`],
    ['a fraction of a million zeros', `[0.${'0'.repeat(1_000_000)}1]`],
    ['a million escapes', `["${'\\n'.repeat(1_000_000)}"]`],
    ['a string that never ends', `["${'\\'.repeat(1_000_001)}`],
    ['a million blanks between members', `{"a"${' '.repeat(1_000_000)}:1}`],
    ['a hundred thousand members', `{${Array.from({ length: 100_000 }, (_, n) => `"${n}":${n}`).join(',')}}`],
  ])('%s are fingerprinted quickly', (_, text) => {
    const start = performance.now();
    expect(json(text)).toMatch(/^f1:/);
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  test('nested less deep than the limit are canonicalised, and deeper ones are compared by their bytes', () => {
    const nested = (depth: number, blank: string) => '['.repeat(depth) + blank + ']'.repeat(depth);
    expect(json(nested(128, ' '))).toBe(json(nested(128, '')));
    expect(json(nested(129, ' '))).not.toBe(json(nested(129, '')));
  });

  test('with brackets inside strings are not nested', () => {
    const brackets = `"${'['.repeat(500)}\\"${'{'.repeat(500)}"`;
    expect(json(`[${brackets}]`)).toBe(json(`[ ${brackets} ]`));
  });
});

describe('for any JSON value', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  // A lone surrogate has no canonical form, so its bytes are compared.
  const shuffled = (input: unknown): unknown =>
    Array.isArray(input)
      ? input.map(shuffled)
      : typeof input === 'object' && input !== null
        ? Object.fromEntries(
            Object.entries(input)
              .reverse()
              .map(([name, member]) => [name, shuffled(member)]),
          )
        : input;

  test('writing it down again in another order and with blanks makes no other request', () => {
    fc.assert(
      fc.property(value, (input) => {
        fc.pre(!Object.hasOwn(Object(input), '__proto__'));
        expect(json(JSON.stringify(shuffled(input), undefined, 2))).toBe(json(JSON.stringify(input)));
      }),
      { numRuns: 500 },
    );
  });

  test('two values share a fingerprint only when they are equal', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const isEqual = JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
        expect(json(JSON.stringify(a)) === json(JSON.stringify(b))).toBe(isEqual);
      }),
      { numRuns: 500 },
    );
  });

  /** An independent canonical form: members as sorted pairs. */
  const canonical = (input: unknown): unknown =>
    Array.isArray(input)
      ? input.map(canonical)
      : typeof input === 'object' && input !== null
        ? {
            pairs: Object.entries(input)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, member]) => [name, canonical(member)]),
          }
        : Object.is(input, -0)
          ? 0
          : input;
});

describe('for any two requests', () => {
  const text = fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', ':', '1', '') });
  const pair = fc.tuple(text, text);
  const request = fc.record({
    method: fc.constantFrom('POST', 'PATCH'),
    route: text,
    parameters: fc.dictionary(text, text, { maxKeys: 2 }),
    query: fc.array(pair, { maxLength: 2 }),
    contentType: fc.constantFrom('', 'text/plain', 'application/octet-stream'),
    body: text.map(bytes),
  });
  const identity = (one: RequestIdentity): string => {
    const sorted = (entries: readonly (readonly [string, string])[]) =>
      entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const parts = [one.method, one.route, sorted(Object.entries(one.parameters)), sorted(one.query)];
    return JSON.stringify([...parts, one.contentType, Buffer.from(one.body).toString()]);
  };

  test('the fingerprints are equal only when everything that counts is', () => {
    fc.assert(
      fc.property(request, request, (a, b) => {
        expect(fingerprintOf(a) === fingerprintOf(b)).toBe(identity(a) === identity(b));
      }),
      { numRuns: 2_000 },
    );
  });
});
