import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { finished, PAYMENT, paid, reset, START, summary, world } from './world.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A payment whose answer was lost at `START`, looked at in a page that is loaded later. */
async function lostPayment(ageMs: number, retentionMs?: number) {
  const { client, play, seen, tab } = world(retentionMs === undefined ? {} : { retentionMs });
  play(reset);
  vi.setSystemTime(START);
  await finished((await client.open('checkout', PAYMENT)).send());
  const attempts = seen.length;
  play(paid);
  vi.setSystemTime(START + ageMs);
  const payment = await tab().open('checkout', PAYMENT);
  return { payment, client, sentMore: () => seen.length - attempts };
}

describe('a lost payment', () => {
  it.each([
    ['a day and five minutes old', 24 * HOUR_MS + 5 * MINUTE_MS],
    ['so old that the clocks’ difference may matter', 24 * HOUR_MS - 5 * MINUTE_MS],
    ['absurdly old', START],
    ['of the future, by a clock that was wrong', -2 * HOUR_MS],
  ])('is not sent again, because it could be a second payment, when it is %s', async (_what, ageMs) => {
    const { payment, sentMore, client } = await lostPayment(ageMs);
    const result = await finished(payment.send());
    expect(result).toMatchObject({ kind: 'unknown', reason: 'too-old', key: payment.key });
    if (result.kind === 'unknown')
      expect(await summary(result.resume())).toEqual({ kind: 'unknown', reason: 'too-old' });
    expect([sentMore(), payment.state]).toEqual([0, 'sent']);
    await expect(client.open('checkout', { ...PAYMENT, body: {} })).rejects.toMatchObject({ code: 'request-changed' });
  });

  it.each([
    ['nearly a day old', 24 * HOUR_MS - 6 * MINUTE_MS],
    ['a little of the future, by a clock that was corrected', -4 * MINUTE_MS],
  ])('is sent again when it is %s', async (_what, ageMs) => {
    const { payment } = await lostPayment(ageMs);
    expect(await summary(payment.send())).toEqual({ kind: 'answered', status: 201 });
  });

  it('ages by the server’s own retention', async () => {
    expect(await summary((await lostPayment(50 * MINUTE_MS, HOUR_MS)).payment.send())).toMatchObject({
      kind: 'answered',
    });
    expect(await summary((await lostPayment(56 * MINUTE_MS, HOUR_MS)).payment.send())).toMatchObject({
      reason: 'too-old',
    });
  });

  // J8
  it('that grows too old between two attempts is not sent again', async () => {
    const { client, play, seen } = world();
    play(async () => {
      vi.setSystemTime(START + 25 * HOUR_MS);
      throw new TypeError('The laptop slept');
    });
    const payment = await client.open('checkout', PAYMENT);
    expect(await summary(payment.send({ deadlineMs: 48 * HOUR_MS }))).toEqual({ kind: 'unknown', reason: 'too-old' });
    expect(seen).toHaveLength(1);
  });

  it('that another tab sent long ago is not sent from a tab that never did', async () => {
    const { client, play, seen, tab } = world();
    const [mine, theirs] = [await client.open('checkout', PAYMENT), await tab().open('checkout', PAYMENT)];
    play(reset);
    await finished(theirs.send());
    const attempts = seen.length;
    vi.setSystemTime(START + 25 * HOUR_MS);
    expect(await summary(mine.send())).toEqual({ kind: 'unknown', reason: 'too-old' });
    expect(seen.length - attempts).toBe(0);
  });
});

describe('a checkout that stayed open for days', () => {
  it('is paid as usual, because nothing was sent under its key', async () => {
    const { client, seen } = world();
    const payment = await client.open('checkout', PAYMENT);
    vi.setSystemTime(START + 72 * HOUR_MS);
    expect(await summary(payment.send())).toEqual({ kind: 'answered', status: 201 });
    expect(seen.map(({ key }) => key)).toEqual([payment.key]);
  });
});

describe('a settled payment', () => {
  it('shows its answer however old it is', async () => {
    const { client, tab } = world();
    await finished((await client.open('checkout', PAYMENT)).send());
    vi.setSystemTime(START + 1000 * HOUR_MS);
    const payment = await tab().find('checkout');
    expect(await payment?.send()).toMatchObject({ kind: 'answered', response: { status: 201 } });
  });
});
