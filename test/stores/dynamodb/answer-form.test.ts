import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredResponse } from '../../../lib/idempotency/claim.ts';
import { formOf, fromPayload, fromResponse, pointerOf } from '../../../lib/stores/dynamodb/answer-form.ts';
import { itemBytes } from '../../../lib/stores/dynamodb/item-size.ts';
import { json } from '../../contract/bodies.ts';
import { freshPk, RESPONSE, settle } from '../../contract/samples.ts';

const RUNS = 300;

const write = (response: StoredResponse) =>
  ({ ...settle(freshPk()), outcome: { result: 'answered' }, response }) as const;

/** What a reader makes of what a writer has made. */
function readBack(response: StoredResponse) {
  const form = formOf(write(response));
  if (form.kind === 'inside') return fromResponse(form.response);
  const kept = form.pointed('id', 1);
  const pointer = pointerOf(kept);
  return pointer && fromPayload(response.status, pointer, form.payload);
}

const header = fc.tuple(fc.stringMatching(/^[a-z_-]{1,12}$/), fc.string());
const response: fc.Arbitrary<StoredResponse> = fc
  .tuple(
    fc.integer({ min: 100, max: 599 }),
    fc.array(header, { maxLength: 6 }),
    fc.oneof(fc.uint8Array({ maxLength: 2_000 }), fc.integer({ min: 0, max: 20_000 }).map(json)),
  )
  .map(([status, headers, body]) => ({ status, headers: Object.fromEntries(headers), body: new Uint8Array(body) }));

describe('an answer', () => {
  it('is read as it was written, whatever form it takes', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(response, (whole) => {
        kinds.add(formOf(write(whole)).kind);
        expect(readBack(whole)).toStrictEqual(whole);
      }),
      { numRuns: RUNS },
    );
    expect([...kinds].toSorted()).toStrictEqual(['beside', 'inside']);
  });

  it('is never read as another one, whichever bytes were changed', () => {
    const whole = { ...RESPONSE, body: json(5_000) };
    const form = formOf(write(whole));
    if (form.kind !== 'beside') throw new Error('It is inside.');
    const pointer = pointerOf(form.pointed('id', 1));
    if (pointer === undefined) throw new Error('There is no pointer.');
    fc.assert(
      fc.property(fc.nat(form.payload.byteLength - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Uint8Array.from(form.payload);
        changed[at] = (changed[at] as number) ^ change;
        expect(fromPayload(201, pointer, changed)).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  it('that fits is left as it is: compressing it would save nothing', () => {
    expect(formOf(write({ ...RESPONSE, body: json(300) }))).toStrictEqual({
      kind: 'inside',
      response: { ...RESPONSE, body: json(300) },
    });
  });

  it('of an effect leaves room for the gate that its claim has', () => {
    const of = (result: 'answered' | 'performed', bytes: number) =>
      formOf({
        ...write({ ...RESPONSE, body: new Uint8Array(bytes).map((_, n) => (n * n * 31) % 251) }),
        outcome: { result },
      });
    const largest = (result: 'answered' | 'performed') => {
      let bytes = 0;
      for (let form = of(result, 0); form.kind === 'inside' && 'body' in form.response; form = of(result, ++bytes));
      return bytes;
    };
    expect(largest('answered') - largest('performed')).toBeGreaterThan(150);
  });

  it('with headers beyond a write unit takes them along, and the claim keeps its Location', () => {
    const headers = { location: '/things/1', 'x-long': 'h'.repeat(3_000) };
    const form = formOf(
      write({ status: 201, headers, body: Buffer.from(crypto.getRandomValues(new Uint8Array(700))) }),
    );
    if (form.kind !== 'beside') throw new Error('It is inside.');
    const kept = form.pointed('id', 1);
    expect(kept).toMatchObject({ status: 201, headers: { location: '/things/1' } });
    expect(itemBytes(kept)).toBeLessThan(250);
  });
});
