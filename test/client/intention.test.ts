import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finished, hang, json, keysOf, PAYMENT, paid, problem, reset, START, summary, world } from './world.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const other = { ...PAYMENT, body: { ...PAYMENT.body, amount: 5 } };
const decline = problem(402, 'new-key', {}, 'payment-declined');

describe('a reload', () => {
  it('in the middle of a lost payment goes on with the same key and bytes', async () => {
    const { client, play, seen, tab } = world();
    play(hang);
    const before = await client.open('checkout', PAYMENT);
    const abandoned = before.send({ deadlineMs: 1000 });
    await vi.waitUntil(() => seen.length === 1);
    const after = await tab().find('checkout');
    expect(after).toMatchObject({ name: 'checkout', key: before.key, state: 'sent' });
    await finished(abandoned);
    play(paid);
    expect(await after?.send()).toMatchObject({ kind: 'answered', response: { status: 201 } });
    expect(keysOf(seen)).toEqual([before.key]);
    expect(new Set(seen.map(({ text }) => text)).size).toBe(1);
  });

  it('shows the answer of a settled intention without the network, as often as it is asked', async () => {
    const { client, play, seen, tab } = world();
    play(json(201, { id: 'pay_1' }, { location: '/payments/pay_1', 'set-cookie': 'secret=1', 'content-length': '14' }));
    await finished((await client.open('checkout', PAYMENT)).send());
    const reloaded = await tab().open('checkout', PAYMENT);
    expect(reloaded.state).toBe('settled');
    for (const result of [await reloaded.send(), await reloaded.send()]) {
      if (result.kind !== 'answered') throw new Error('It is settled.');
      expect(result.response.status).toBe(201);
      expect(Object.fromEntries(result.response.headers)).toEqual({
        'content-type': 'application/json',
        location: '/payments/pay_1',
      });
      expect(await result.response.json()).toEqual({ id: 'pay_1' });
    }
    expect(seen).toHaveLength(1);
  });

  it('finds nothing under a name that was never opened', async () => {
    expect(await world().client.find('checkout')).toBeUndefined();
  });
});

describe('another request under the same name', () => {
  it.each([
    ['body', other],
    ['URL', { ...PAYMENT, url: 'https://shop.example/refunds' }],
    ['method', { ...PAYMENT, method: 'PATCH' }],
    ['media type', { ...PAYMENT, contentType: 'application/x-other+json' }],
  ])('is refused while the first one may have happened: another %s', async (_what, request) => {
    const { client, play, seen, tab } = world();
    play(reset);
    const first = await client.open('checkout', PAYMENT);
    await finished(first.send());
    await expect(tab().open('checkout', request)).rejects.toMatchObject({
      code: 'request-changed',
      message: /may have happened/,
    });
    expect(keysOf(seen)).toEqual([first.key]);
  });

  it('is refused while the first one waits to be sent, and can be opened once that is forgotten', async () => {
    const { client } = world();
    const first = await client.open('checkout', PAYMENT);
    await expect(client.open('checkout', other)).rejects.toMatchObject({
      code: 'request-changed',
      message: /was not sent/,
    });
    await first.forget();
    expect((await client.open('checkout', other)).key).not.toBe(first.key);
  });

  it('takes the place of a settled one, under a new key', async () => {
    const { client, play } = world();
    play(decline, paid);
    const first = await client.open('checkout', PAYMENT);
    expect(await summary(first.send())).toEqual({ kind: 'answered', status: 402 });
    const second = await client.open('checkout', other);
    expect(second.key).not.toBe(first.key);
    expect(await summary(second.send())).toEqual({ kind: 'answered', status: 201 });
  });
});

describe('forgetting', () => {
  it('lets a settled name be opened under a new key', async () => {
    const { client, storage } = world();
    const first = await client.open('checkout', PAYMENT);
    await finished(first.send());
    await first.forget();
    await first.forget();
    expect(await storage.read('checkout')).toBeUndefined();
    expect((await client.open('checkout', PAYMENT)).key).not.toBe(first.key);
  });

  it('is refused while it may have happened, unless the caller knows better', async () => {
    const { client, play } = world();
    play(reset);
    const payment = await client.open('checkout', PAYMENT);
    await finished(payment.send());
    await expect(payment.forget()).rejects.toMatchObject({ code: 'outcome-unknown' });
    await payment.forget({ despiteUnknown: true });
    expect(await client.find('checkout')).toBeUndefined();
    await expect(finished(payment.send())).rejects.toMatchObject({ code: 'intention-forgotten' });
  });
});
