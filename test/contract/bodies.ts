import { beforeAll, expect, it } from 'vitest';
import type { Store } from '../../lib/idempotency/store.ts';
import { RESPONSE, reach, settle } from './samples.ts';

/** Near to what one item carries, next to the rest of a claim. */
const BIG_BYTES = 300_000;

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
