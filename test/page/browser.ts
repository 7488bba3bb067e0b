import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Local, startLocal } from '../acceptance/local.ts';

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const HOW_TO_INSTALL = `no ${EXECUTABLE}: apt-get install chromium, or name another one in CHROMIUM`;

/** Without a sandbox it runs as root in a container; without the rest it talks to this machine alone. */
const FLAGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 360, height: 780 };

export const LANGUAGES = [
  ['en', 'en-US'],
  ['uz', 'uz-UZ'],
  ['ru', 'ru-RU'],
] as const;

/** What an element says, without the markup's white space. */
export const textOf = async (element: Locator): Promise<string> =>
  ((await element.textContent()) ?? '').replaceAll(/\s+/g, ' ').trim();

export interface Opened {
  readonly local: Local;
  /** A fresh visitor: no storage, no history. */
  visit(options?: BrowserContextOptions, hash?: string): Promise<Page>;
}

/** Tests in a real browser against the whole local run. Where there is no browser, the report says how to get one. */
export function describeInBrowser(name: string, tests: (opened: Opened) => void): void {
  const isThere = existsSync(EXECUTABLE);
  if (!isThere) process.stderr.write(`${name}: skipped, ${HOW_TO_INSTALL}\n`);
  describe.skipIf(!isThere)(isThere ? name : `${name} (${HOW_TO_INSTALL})`, () => {
    let local: Local;
    let browser: Browser;
    beforeAll(async () => {
      const settings = { FUNCTION_TIMEOUT_SECONDS: '4', RECONCILE_EVERY_SECONDS: '1', RECONCILE_GRACE_SECONDS: '2' };
      [local, browser] = await Promise.all([
        startLocal(settings),
        chromium.launch({ executablePath: EXECUTABLE, args: FLAGS }),
      ]);
    });
    afterAll(async () => {
      await browser?.close();
      await local?.stop();
    });
    tests({
      get local() {
        return local;
      },
      visit: async (options = {}, hash = '') => {
        const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US', ...options });
        const page = await context.newPage();
        await page.goto(`${local.url}/${hash}`);
        return page;
      },
    });
  });
}
