import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finished, PAYMENT, paid, reset, START, world } from './world.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a key', () => {
  // J1
  it('is one for all attempts of an intention, and each of two equal intentions has its own', async () => {
    const { client, play, seen } = world();
    const [first, second] = [await client.open('a', PAYMENT), await client.open('b', PAYMENT)];
    for (const payment of [first, second]) {
      play(reset, reset, paid);
      await finished(payment.send());
    }
    expect(seen.map(({ key }) => key)).toEqual([...Array(3).fill(first.key), ...Array(3).fill(second.key)]);
    expect(first.key).not.toBe(second.key);
  });

  it('is a random UUID unless the caller makes another', async () => {
    expect((await world().client.open('a', PAYMENT)).key).toMatch(
      /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    );
    expect((await world({ makeKey: () => 'ticket-1' }).client.open('a', PAYMENT)).key).toBe('ticket-1');
  });

  it.each(['', 'two words', 'a,b', '"a"', 'ключ', 'x'.repeat(256)])(
    'that no server would take is refused before anything is stored: %j',
    async (key) => {
      const { client } = world({ makeKey: () => key });
      await expect(client.open('a', PAYMENT)).rejects.toMatchObject({ code: 'request-invalid' });
      expect(await client.find('a')).toBeUndefined();
    },
  );

  // J2
  it('and its bytes are in the storage before the first attempt', async () => {
    const { client, storage, play } = world();
    const payment = await client.open('checkout', PAYMENT);
    let kept: string | undefined;
    play(async (signal) => {
      kept = await storage.read('checkout');
      return paid(signal);
    });
    await finished(payment.send());
    expect(JSON.parse(kept ?? '')).toMatchObject({ state: 'sent', sentAt: START, key: payment.key });
    expect(kept).toContain(btoa(JSON.stringify(PAYMENT.body)));
  });
});

describe('a body', () => {
  // J3
  it('is frozen when the intention is opened', async () => {
    const { client, play, seen } = world();
    const body = { orderId: 'order-1', amount: 1 };
    const payment = await client.open('checkout', { ...PAYMENT, body });
    body.amount = 2;
    play(reset, paid);
    await finished(payment.send());
    expect(seen.map(({ text }) => text)).toEqual(Array(2).fill('{"orderId":"order-1","amount":1}'));
  });

  it('goes out byte for byte, as text, as bytes, or not at all', async () => {
    const sent: unknown[] = [];
    const { client } = world({
      fetch: async (_url, init) => {
        sent.push(init.body);
        return new Response();
      },
    });
    const bytes = new Uint8Array([0, 255, 128, 10]);
    const opened = [
      await client.open('text', { ...PAYMENT, body: '{ "so‘m": 1 }' }),
      await client.open('bytes', { ...PAYMENT, body: bytes }),
      await client.open('none', { url: PAYMENT.url }),
    ];
    bytes.fill(7);
    for (const intention of opened) await finished(intention.send());
    expect(sent).toEqual([new TextEncoder().encode('{ "so‘m": 1 }'), new Uint8Array([0, 255, 128, 10]), undefined]);
  });

  const circle: { self?: object } = {};
  circle.self = circle;
  it.each([
    ['has no JSON form', { ...PAYMENT, body: () => {} }],
    ['is a circle', { ...PAYMENT, body: circle }],
    ['goes to no URL', { ...PAYMENT, url: 'http://' }],
    ['goes with a method that has none', { ...PAYMENT, method: 'GET' }],
    ['has a type that no header can hold', { ...PAYMENT, contentType: 'a\nb' }],
  ])('that %s is refused before anything is stored', async (_what, request) => {
    const { client } = world();
    await expect(client.open('checkout', request)).rejects.toMatchObject({ code: 'request-invalid' });
    expect(await client.find('checkout')).toBeUndefined();
  });
});
