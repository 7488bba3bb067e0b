import { expect, it } from 'vitest';
import { describeInBrowser, textOf } from './browser.ts';
import { checkoutOf, ENDED_MS, ledgerOf } from './checkout.ts';

interface Told {
  readonly scenario: string;
  readonly kept: number;
  /** At least: on a busy machine a phone gives up on more attempts. */
  readonly repeated: number;
  /** How the attempts may end, in their order; the last one may come more than once. */
  readonly attempts: readonly RegExp[];
  readonly says: RegExp;
}

const WAIT = { timeout: ENDED_MS };

const PAID = /^delivered 201$/;

const SCENARIOS: readonly Told[] = [
  { scenario: 'nothing', kept: 1, repeated: 1, attempts: [PAID], says: /^Paid/ },
  { scenario: 'before', kept: 1, repeated: 1, attempts: [/^lost-before$/, PAID], says: /^Paid/ },
  { scenario: 'after', kept: 1, repeated: 2, attempts: [/^lost-after 201$/, PAID], says: /^Paid/ },
  { scenario: 'double', kept: 1, repeated: 2, attempts: Array(2).fill(/^delivered (201|409)$/), says: /^Paid/ },
  {
    scenario: 'killed',
    kept: 1,
    repeated: 2,
    attempts: [/^delivered 500$/, /^delivered (409|503|201)$/],
    says: /^Paid/,
  },
  { scenario: 'slow', kept: 1, repeated: 2, attempts: [/^abandoned/, /^(abandoned|delivered)/], says: /^Paid/ },
  { scenario: 'declined', kept: 0, repeated: 0, attempts: [/^delivered 402$/], says: /^Declined/ },
  { scenario: 'twenty', kept: 1, repeated: 20, attempts: Array(20).fill(/^delivered (201|409)$/), says: /^Paid/ },
  { scenario: 'amount', kept: 1, repeated: 2, attempts: [PAID, /^delivered 422$/], says: /^Paid/ },
  { scenario: 'keyless', kept: 0, repeated: 2, attempts: [/^delivered 400$/, /^delivered 400$/], says: /^Refused/ },
];

describeInBrowser('the page', (opened) => {
  it.each(SCENARIOS)(
    'tells "$scenario" as the ledger has it: $kept charge(s), not $repeated',
    {
      timeout: 90_000,
    },
    async ({ scenario, kept, repeated, attempts, says }) => {
      const page = await opened.visit();
      const checkout = checkoutOf(page);
      await checkout.choose(scenario);
      await checkout.press();
      await checkout.ended();

      const seen = await checkout.attempts();
      expect(seen.length, seen.join(', ')).toBeGreaterThanOrEqual(attempts.length);
      for (const [at, attempt] of seen.entries())
        expect(attempt, seen.join(', ')).toMatch(attempts[at] ?? attempts.at(-1) ?? '');
      expect(await textOf(page.locator('[role=status]'))).toMatch(says);

      const ledger = await ledgerOf(opened.local, await checkout.orderId());
      await expect.poll(checkout.counts, WAIT).toEqual(ledger);
      expect(ledger.kept).toBe(kept);
      expect(ledger.repeated).toBeGreaterThanOrEqual(repeated);
      await expect.poll(checkout.keyState, WAIT).toBe(scenario === 'keyless' ? '' : 'done');
      await page.context().close();
    },
  );

  it('opens a new order with a new key for every press', { timeout: 60_000 }, async () => {
    const page = await opened.visit();
    const checkout = checkoutOf(page);
    await checkout.choose('nothing');
    const pay = async (before: string) => {
      await checkout.press();
      await expect.poll(checkout.orderId, WAIT).not.toBe(before);
      await expect.poll(checkout.phase, WAIT).toBe('answered');
      return { order: await checkout.orderId(), key: await textOf(page.locator('.serial')) };
    };
    const first = await pay('');
    const second = await pay(first.order);
    expect(second.key).not.toBe(first.key);
    await page.context().close();
  });

  it('resumes a lost payment after a reload, and ends with one charge', { timeout: 60_000 }, async () => {
    const page = await opened.visit();
    const checkout = checkoutOf(page);
    await checkout.choose('after');
    await checkout.press();
    // The money has moved, and its answer has not arrived.
    await page.locator('.count.kept[data-count="1"]').waitFor();
    expect(await checkout.phase()).toBe('paying');
    const key = await textOf(page.locator('.serial'));
    await page.reload();

    await page.locator('.banner.resumed').waitFor();
    await checkout.ended();
    expect(await textOf(page.locator('.serial'))).toBe(key);
    expect((await checkout.attempts()).at(-1)).toBe('delivered 201');
    expect((await ledgerOf(opened.local, await checkout.orderId())).kept).toBe(1);
    expect((await checkout.counts()).kept).toBe(1);
    await page.context().close();
  });

  it('lists open and finished keys for the operator, live', { timeout: 60_000 }, async () => {
    const page = await opened.visit();
    const operator = await opened.visit({}, '#operator');
    const checkout = checkoutOf(page);
    await checkout.choose('killed');
    // Begun before, because a webhook may settle the key within a second.
    const seenOpen = operator.locator('[data-list="open"] .claim').first().waitFor({ timeout: ENDED_MS });
    await checkout.press();
    await seenOpen;
    await expect.poll(checkout.orderId, WAIT).not.toBe('');
    const orderId = await checkout.orderId();
    const row = (list: string) =>
      operator.locator(`[data-list="${list}"] .claim`, { hasText: new RegExp(`${orderId}(?!\\.)`) });
    await row('finished').waitFor({ timeout: 60_000 });
    expect(await textOf(row('finished'))).toMatch(/201[\s\S]*(a retry|a webhook|the reconciler)/);
    await Promise.all([page.context().close(), operator.context().close()]);
  });
});
