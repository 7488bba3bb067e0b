import { hash, randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { Store } from '../../lib/idempotency/store.ts';
import { claim, freshPk, RESPONSE, reach, settle, ungated } from './samples.ts';

/** Near to what one item carries, next to the rest of a claim. */
const BIG_BYTES = 300_000;

/** JSON as services write it, the same each time: a fifth of its size when compressed. */
export const json = (length: number): Uint8Array =>
  Buffer.from(Array.from({ length: Math.ceil(length / 80) }, (_, n) => entry(n)).join(',')).subarray(0, length);

const entry = (n: number): string =>
  JSON.stringify({
    id: `pi_${hash('sha256', String(n)).slice(0, 18)}`,
    amount: (n * 7_919) % 100_000,
    currency: 'UZS',
    status: ['succeeded', 'declined', 'processing'][n % 3],
  });

const large: readonly (readonly [string, Uint8Array])[] = [
  ['0 B', new Uint8Array()],
  ['1 B', Uint8Array.of(0)],
  ['900 B of JSON', json(900)],
  ['900 B at random', randomBytes(900)],
  ['4 kB of JSON', json(4_000)],
  ['4 kB at random', randomBytes(4_000)],
  ['100 kB of JSON', json(100_000)],
  ['100 kB at random', randomBytes(100_000)],
  ['500 kB of JSON', json(500_000)],
  ['500 kB at random', randomBytes(500_000)],
  ['5 MB at random', randomBytes(5_000_000)],
];

const every: readonly (readonly [string, Uint8Array])[] = [
  ['empty', new Uint8Array()],
  ['every byte there is', Uint8Array.from({ length: 256 }, (_, n) => n)],
  ['invalid UTF-8', Uint8Array.of(0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80)],
  ['a part of a larger buffer', Buffer.from('xx{"a":1}xx').subarray(2, 9)],
  ['300 kB', Uint8Array.from({ length: BIG_BYTES }, (_, n) => (n * 31) % 251)],
];

export function bodies(makeStore: () => Store): void {
  let store: Store;
  beforeAll(() => {
    store = makeStore();
  });

  it.each(every)('a body comes back byte for byte: %s', async (_, body) => {
    const pk = await reach(store, 'executing');
    expect((await store.write({ ...settle(pk), response: { ...RESPONSE, body } })).kind).toBe('applied');
    const found = await store.read(pk);
    const read = found?.status === 'done' ? found.response.body : undefined;
    expect(Buffer.from(body).equals(read ?? Buffer.from('not settled'))).toBe(true);
    expect(read?.constructor).toBe(Uint8Array);
  });

  it.each(large)('an answer of any size is shown whole to a retry, with its headers: %s', async (_, body) => {
    const pk = freshPk();
    const headers = { ...RESPONSE.headers, etag: '"é"', 'x-list': 'a, b' };
    await store.write(claim(ungated(pk)));
    const settlement = {
      ...settle(pk),
      outcome: { result: 'answered' },
      response: { status: 200, headers, body },
    } as const;
    expect(await store.write(settlement)).toStrictEqual({ kind: 'applied' });
    const met = await store.write(claim(ungated(pk, 'op-2', 'rival')));
    const found = met.kind === 'refused' && met.found?.status === 'done' ? met.found.response : undefined;
    expect([found?.status, found?.headers]).toStrictEqual([200, headers]);
    expect(Buffer.from(body).equals(found?.body ?? Buffer.from('not found'))).toBe(true);
  });

  it('a body comes back with the write that lost to it', async () => {
    const pk = await reach(store, 'executing');
    const body = Uint8Array.from({ length: BIG_BYTES }, (_, n) => n % 256);
    await store.write({ ...settle(pk), response: { ...RESPONSE, body } });
    const lost = await store.write({ ...settle(pk), outcome: { result: 'not-performed' } });
    const found = lost.kind === 'refused' && lost.found?.status === 'done' ? lost.found.response : undefined;
    expect(found?.headers).toStrictEqual(RESPONSE.headers);
    expect(Buffer.from(body).equals(found?.body ?? Buffer.from('not found'))).toBe(true);
  });
}
