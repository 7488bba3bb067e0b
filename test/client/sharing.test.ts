import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStorage } from '../../lib/client/memory-storage.ts';
import type { IntentionStorage } from '../../lib/client/storage.ts';
import { finished, json, keysOf, PAYMENT, paid, reset, START, summary, world } from './world.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const other = { ...PAYMENT, body: { ...PAYMENT.body, amount: 5 } };

describe('a double tap', () => {
  it('is one send, and both callers can read the answer', async () => {
    const { client, seen } = world();
    const payment = await client.open('checkout', PAYMENT);
    const results = await finished(Promise.all([payment.send(), payment.send()]));
    expect(seen).toHaveLength(1);
    for (const result of results)
      expect(result.kind === 'answered' && (await result.response.json())).toEqual({ id: 'pay_1' });
  });
});

describe('two tabs', () => {
  it('that open one name at the same time have one key', async () => {
    const { client, tab } = world();
    const opened = await Promise.all([client, tab(), tab()].map((each) => each.open('checkout', PAYMENT)));
    expect(new Set(opened.map(({ key }) => key)).size).toBe(1);
  });

  it('both get the answer of the first that sent', async () => {
    const { client, seen, tab } = world();
    const [mine, theirs] = [await client.open('checkout', PAYMENT), await tab().open('checkout', PAYMENT)];
    await finished(theirs.send());
    expect(await summary(mine.send())).toEqual({ kind: 'answered', status: 201 });
    expect(seen).toHaveLength(1);
  });

  it('go on under one key when the first one lost its answer', async () => {
    const { client, play, seen, tab } = world();
    const [mine, theirs] = [await client.open('checkout', PAYMENT), await tab().open('checkout', PAYMENT)];
    play(reset);
    await finished(theirs.send());
    play(json(401, {}), paid);
    expect(await summary(mine.send())).toEqual({ kind: 'unknown', reason: 'refused' });
    expect(await summary(mine.send())).toEqual({ kind: 'answered', status: 201 });
    expect(await summary(theirs.send())).toEqual({ kind: 'answered', status: 201 });
    expect(keysOf(seen)).toEqual([mine.key]);
  });

  it('never send under a key that the other one let go', async () => {
    const { client, seen, tab } = world();
    const [mine, theirs] = [await client.open('checkout', PAYMENT), await tab().open('checkout', PAYMENT)];
    await theirs.forget();
    await expect(finished(mine.send())).rejects.toMatchObject({ code: 'intention-forgotten' });
    await tab().open('checkout', PAYMENT);
    await expect(finished(mine.send())).rejects.toMatchObject({ code: 'intention-forgotten' });
    expect(seen).toHaveLength(0);
  });

  it('do not forget what the other one may have done', async () => {
    const { client, play, tab } = world();
    const [mine, theirs] = [await client.open('checkout', PAYMENT), await tab().open('checkout', PAYMENT)];
    play(reset);
    await finished(theirs.send());
    await expect(mine.forget()).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(await client.find('checkout')).toMatchObject({ key: mine.key });
  });
});

describe('a storage', () => {
  const failing = (name: keyof IntentionStorage, from = 0): IntentionStorage => {
    const storage = memoryStorage();
    let calls = 0;
    const call = storage[name] as (...values: string[]) => Promise<never>;
    const failingCall = async (...values: string[]) => {
      calls += 1;
      if (calls > from) throw new Error('The quota is used up');
      return call(...values);
    };
    return { ...storage, [name]: failingCall };
  };

  it.each(['read', 'create'] as const)('that fails to %s opens nothing', async (name) => {
    const { client, seen } = world({ storage: failing(name) });
    await expect(client.open('checkout', PAYMENT)).rejects.toMatchObject({ code: 'storage-failed', message: /quota/ });
    expect(seen).toHaveLength(0);
  });

  it('that fails to write down the first attempt lets nothing be sent', async () => {
    const { client, seen } = world({ storage: failing('replace') });
    const payment = await client.open('checkout', PAYMENT);
    await expect(finished(payment.send())).rejects.toMatchObject({ code: 'storage-failed' });
    expect([seen.length, payment.state]).toEqual([0, 'unsent']);
  });

  it('that fails to keep the answer does not hide it', async () => {
    const { client, tab } = world({ storage: failing('replace', 1) });
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send())).toEqual({ kind: 'answered', status: 201 });
    expect(payment.state).toBe('settled');
    expect(await tab().find('checkout')).toMatchObject({ key: payment.key, state: 'sent' });
    await payment.forget();
    expect(await tab().find('checkout')).toBeUndefined();
  });

  it.each(['create', 'replace', 'remove'] as const)(
    'whose every %s is lost to others is given up in the end',
    async (name) => {
      const storage = { ...memoryStorage(), [name]: async () => false };
      const { client, seen } = world({ storage });
      const use = async () => {
        const payment = await client.open('checkout', PAYMENT);
        if (name === 'replace') await payment.send();
        await payment.forget();
      };
      await expect(finished(use())).rejects.toMatchObject({ code: 'storage-failed' });
      expect(seen).toHaveLength(0);
    },
  );

  it('keeps the new intention when two tabs replace a settled one at once', async () => {
    const { client, tab } = world();
    await finished((await client.open('checkout', PAYMENT)).send());
    const opened = await Promise.all([client.open('checkout', other), tab().open('checkout', other)]);
    expect(new Set(opened.map(({ key }) => key)).size).toBe(1);
  });
});
