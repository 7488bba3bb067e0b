import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_HEADER } from '../../lib/idempotency/key.ts';
import { balancerEvent, restEvent } from './events.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const guide = readFileSync(join(ROOT, 'docs/events.md'), 'utf8');
const blocks = [...guide.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)];

// Inside the package, so that `chipta` resolves to it as it would for its users; nothing there is ever committed.
mkdirSync(join(ROOT, '.local'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.local', 'events-guide-'));
beforeAll(() => {
  for (const [, name, code] of blocks) writeFileSync(join(folder, String(name)), String(code));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] }),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const context = { getRemainingTimeInMillis: () => 10_000 } as Context;

describe('the guide to events', () => {
  it('shows code that compiles', async () => {
    expect(blocks.map(([, name]) => name)).toEqual(['fields.ts', 'balancer.ts', 'tenants.ts', 'keys.ts', 'browser.ts']);
    await expect(run('tsc', ['-p', folder], { cwd: ROOT })).resolves.toMatchObject({ stdout: '' });
  });

  it('shows a handler for browsers whose every answer they may read', async () => {
    const { handler } = await import(join(folder, 'browser.ts'));
    const headers = { Origin: ['https://shop.example.com'], [KEY_HEADER]: ['k'] };
    for (const event of [restEvent({ headers }), restEvent({ headers }), restEvent({ headers, body: 'another' })]) {
      const answer = await handler(event, context);
      expect(answer.headers['access-control-allow-origin']).toBe('https://shop.example.com');
      expect(answer.headers['access-control-expose-headers']).toContain('X-Trace');
    }
  });

  it('shows options that are accepted', async () => {
    for (const name of ['fields.ts', 'tenants.ts', 'keys.ts']) {
      const [middleware] = Object.values(await import(join(folder, name)));
      expect(middleware).toMatchObject({ before: expect.any(Function) });
    }
  });

  it('shows a load balancer’s caller that is nobody without its token', async () => {
    const { behindLoadBalancer } = await import(join(folder, 'balancer.ts'));
    const event = balancerEvent({ headers: { 'idempotency-key': ['k'] } });
    expect(await behindLoadBalancer.before({ event, context, internal: {} })).toMatchObject({ statusCode: 401 });
  });
});
