import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DESKTOP, describeInBrowser, LANGUAGES, PHONE, textOf } from './browser.ts';
import { checkoutOf } from './checkout.ts';

/** The whole first load, with headers. */
const TRANSFERRED_BYTES_MAX = 100_000;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[];
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const isTooWide = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describeInBrowser('the page is for everybody', (opened) => {
  describe.each(LANGUAGES)('in %s', (language, locale) => {
    it.each(['light', 'dark'] as const)(
      'axe finds nothing in its views, %s',
      { timeout: 90_000 },
      async (colorScheme) => {
        const page = await opened.visit({ locale, colorScheme, reducedMotion: 'reduce' });
        expect(await page.evaluate('document.documentElement.lang')).toMatch(new RegExp(`^${language}`));
        expect(await violations(page)).toEqual([]);
        const checkout = checkoutOf(page);
        await checkout.choose('after');
        await checkout.press();
        await checkout.ended();
        expect(await violations(page)).toEqual([]);
        await page.goto(`${opened.local.url}/#operator`);
        await page.locator('.claim').first().waitFor();
        expect(await violations(page)).toEqual([]);
        await page.context().close();
      },
    );

    it('fits a phone', { timeout: 60_000 }, async () => {
      const page = await opened.visit({ locale, viewport: PHONE });
      const checkout = checkoutOf(page);
      await checkout.choose('twenty');
      await checkout.press();
      await checkout.ended();
      expect(await isTooWide(page)).toBe(false);
      await page.goto(`${opened.local.url}/#operator`);
      await page.locator('.claim').first().waitFor();
      expect(await isTooWide(page)).toBe(false);
      await page.context().close();
    });
  });

  it('keeps the language that was chosen, and begins with the one of the browser', async () => {
    const page = await opened.visit({ locale: 'ru-RU' });
    expect(await textOf(page.locator('h1'))).toBe('Оплата');
    expect(await textOf(page.locator('.amount'))).toMatch(/^100\s000 сум$/);
    await page.getByRole('button', { name: 'UZ' }).click();
    await page.reload();
    expect(await textOf(page.locator('h1'))).toBe('Toʻlov');
    expect(await page.getByRole('button', { name: 'UZ' }).getAttribute('aria-pressed')).toBe('true');
    await page.context().close();
  });

  it('is usable by keyboard alone', { timeout: 60_000 }, async () => {
    const page = await opened.visit();
    const focused = (expression: string) => page.evaluate(`document.activeElement?.${expression}`);
    for (let tab = 0; tab < 20 && (await focused('type')) !== 'radio'; tab += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    expect(await focused('value')).toBe('double');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await checkoutOf(page).ended();
    expect(await focused('className'), 'the focus stays').toBe('primary pay');
    expect((await checkoutOf(page).counts()).kept).toBe(1);
    await page.context().close();
  });

  it('moves nothing for whoever asked for less motion', async () => {
    const page = await opened.visit({ reducedMotion: 'reduce' });
    const checkout = checkoutOf(page);
    await checkout.choose('nothing');
    await checkout.press();
    await page.locator('.token').waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.token')).transitionDuration")).toMatch(
      /^0s(, 0s)*$/,
    );
    await page.context().close();
  });

  it('loads less than 100 kB, from this machine alone, and nothing of it is refused', async () => {
    const page = await opened.visit({ viewport: DESKTOP });
    const devtools = await page.context().newCDPSession(page);
    const hosts = new Set<string>();
    const complaints: string[] = [];
    let bytes = 0;
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.reload();
    await page.locator('button.pay').waitFor();
    await expect.poll(() => bytes, { timeout: 10_000 }).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(TRANSFERRED_BYTES_MAX);
    expect([...hosts]).toEqual([new URL(opened.local.url).host]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
