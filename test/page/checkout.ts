import type { Page } from 'playwright-core';
import type { Local } from '../acceptance/local.ts';
import { textOf } from './browser.ts';

/** A killed function's lease, the retry behind it, and a busy machine. */
export const ENDED_MS = 60_000;

/** A checkout as a visitor sees and uses it. */
export const checkoutOf = (page: Page) => {
  const attribute = (selector: string, name: string) => page.locator(selector).getAttribute(name);
  return {
    choose: (scenario: string) => page.locator(`input[value="${scenario}"]`).check({ force: true }),
    press: () => page.locator('button.pay').click(),
    /** The answer is here, and what a service without keys does has been tried. */
    ended: () => page.locator('.count.repeated:not([data-count=""])').waitFor({ timeout: ENDED_MS }),
    phase: () => attribute('[role=status]', 'data-phase'),
    keyState: () => attribute('.ticket', 'data-state'),
    counts: async () => ({
      kept: Number(await attribute('.count.kept', 'data-count')),
      repeated: Number(await attribute('.count.repeated', 'data-count')),
    }),
    /** One for each attempt: how it ended, and what the service answered. */
    attempts: () =>
      page
        .locator('.lane')
        .evaluateAll((lanes) => lanes.map((lane) => `${lane.dataset['state']} ${lane.dataset['status']}`.trim())),
    orderId: async () => ((await page.locator('.desk code').count()) === 0 ? '' : textOf(page.locator('.desk code'))),
  };
};

/** What the provider's ledger says of an order, and of those that repeat it without a key. */
export async function ledgerOf(local: Local, orderId: string) {
  const rows = JSON.parse((await local.request('/local/ledger')).text) as readonly { orderId: string }[];
  return {
    kept: rows.filter((row) => row.orderId === orderId).length,
    repeated: rows.filter((row) => row.orderId.startsWith(`${orderId}.`)).length,
  };
}
