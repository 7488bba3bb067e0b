import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { cutBody, finished, json, problem, reset, START, type Turn } from './world.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const guide = readFileSync(join(ROOT, 'docs/client.md'), 'utf8');
const blocks = [...guide.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)];

const folder = mkdtempSync(join(import.meta.dirname, 'generated-'));
const elsewhere = mkdtempSync(join(tmpdir(), 'chipta-docs-'));
beforeAll(() => {
  for (const [, name, code] of blocks) {
    const text = String(code)
      .replace("'chipta/client'", "'../../../lib/entry/client.ts'")
      .replace("'chipta/client/node'", "'../../../lib/client/file-storage.ts'")
      .replace("'.intentions'", JSON.stringify(join(elsewhere, 'intentions')));
    writeFileSync(join(folder, String(name)), text);
  }
});
afterAll(() => {
  for (const each of [folder, elsewhere]) rmSync(each, { recursive: true, force: true });
});

let keys: (string | null)[] = [];
function answerWith(...turns: Turn[]): void {
  keys = [];
  vi.stubGlobal('fetch', (_url: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get('idempotency-key'));
    return (turns.length > 1 ? turns.shift() : turns[0])?.(init.signal as AbortSignal); // The client gives one.
  });
}

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  const texts = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => texts.set(name, text),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const order = { orderId: 'order-1', amount: 100_000, currency: 'UZS', paymentMethod: 'pm_card_visa' };

describe('the client’s guide', () => {
  it('shows code that compiles', async () => {
    expect(blocks.map(([, name]) => name)).toEqual(['checkout.ts', 'pay-rent.ts']);
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { lib: ['ES2025', 'DOM', 'DOM.Iterable'] },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await expect(run('tsc', ['-p', folder], { cwd: ROOT })).resolves.toMatchObject({ stdout: '' });
  });

  it('shows a checkout that tells the customer the truth, and asks again under the same key', async () => {
    const { openCheckout, pay } = await import(join(folder, 'checkout.ts'));
    const press = async (paymentMethod: string) =>
      await finished<string>(pay(await openCheckout({ ...order, paymentMethod })));

    answerWith(problem(402, 'new-key', {}, 'payment-declined'));
    expect(await press('pm_card_chargeDeclined')).toMatch(/not charged/);
    answerWith(reset);
    expect(await press('pm_card_visa')).toMatch(/do not know yet.*not be charged twice/);
    const lost = keys[0];
    answerWith(problem(409, 'no', {}, 'under-review'));
    expect(await press('pm_card_visa')).toBe(
      `We are looking into your payment. Please do not pay again. Reference: ${lost}`,
    );
    answerWith(cutBody, json(201, { id: 'pay_1' }));
    expect(await press('pm_card_visa')).toBe('Paid. Receipt: pay_1');
    expect(keys).toEqual([lost, lost]);
    answerWith(reset);
    expect(await press('pm_card_visa')).toBe('Paid. Receipt: pay_1');
    expect(keys).toEqual([]);
  });

  it('shows a checkout that asks to sign in, and says what else was refused', async () => {
    const { openCheckout, pay } = await import(join(folder, 'checkout.ts'));
    const checkout = await openCheckout(order);
    answerWith(json(401, {}), problem(409, 'no', {}, 'order-already-paid'));
    expect(await finished(pay(checkout))).toMatch(/sign in/);
    expect(await finished(pay(checkout))).toMatch(/cannot take/);
    expect(new Set(keys).size).toBe(1);
  });

  it('shows a program that pays once, however often it is run', async () => {
    vi.useRealTimers();
    const { payRent } = await import(join(folder, 'pay-rent.ts'));
    answerWith(reset, json(201, { id: 'pay_1' }));
    expect([await payRent('2026-01'), await payRent('2026-01')]).toEqual([201, 201]);
    expect(keys).toEqual([keys[0], keys[0]]);
    answerWith(json(201, { id: 'pay_2' }));
    expect(await payRent('2026-02')).toBe(201);
  });
});
