import { mkdirSync, writeFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DESKTOP, describeInBrowser, PHONE } from './browser.ts';
import { checkoutOf } from './checkout.ts';

/** `WRITE_IMAGES=1 npx vitest run test/page/pictures.test.ts` renews what the README shows. */
const IS_WRITTEN = process.env['WRITE_IMAGES'] === '1';
const FOLDER = 'docs/images';
const BYTES_MAX = 200_000;

interface Picture {
  readonly name: string;
  readonly options: BrowserContextOptions;
  readonly scenario: string;
  readonly when: (page: Page) => Promise<unknown>;
  readonly hash?: string;
}

const ended = (page: Page) => checkoutOf(page).ended();

/** Money has moved, and nobody but the provider knows. */
const charged = (page: Page) => page.locator('.count.kept[data-count="1"]').waitFor();

const PICTURES: readonly Picture[] = [
  { name: 'checkout-desktop-light', options: { viewport: DESKTOP }, scenario: 'after', when: ended },
  {
    name: 'checkout-desktop-dark',
    options: { viewport: DESKTOP, colorScheme: 'dark' },
    scenario: 'slow',
    when: charged,
  },
  { name: 'checkout-phone-light', options: { viewport: PHONE, locale: 'uz-UZ' }, scenario: 'double', when: ended },
  {
    name: 'checkout-phone-dark',
    options: { viewport: PHONE, colorScheme: 'dark', locale: 'ru-RU' },
    scenario: 'after',
    when: ended,
  },
  { name: 'keys-desktop-light', options: { viewport: DESKTOP }, scenario: 'killed', when: charged, hash: '#operator' },
];

describeInBrowser('a picture', (opened) => {
  it.each(PICTURES)('$name is small enough to be shown', { timeout: 60_000 }, async (picture) => {
    const page = await opened.visit(picture.options);
    const checkout = checkoutOf(page);
    await checkout.choose(picture.scenario);
    await checkout.press();
    await picture.when(page);
    if (picture.hash !== undefined) await page.goto(`${opened.local.url}/${picture.hash}`);
    await page.waitForTimeout(700); // What moves comes to rest.
    const image = await page.screenshot({ animations: 'disabled' });
    expect(image.length).toBeLessThan(BYTES_MAX);
    if (IS_WRITTEN) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(`${FOLDER}/${picture.name}.png`, image);
    }
    await page.context().close();
  });
});
