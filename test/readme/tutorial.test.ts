import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startLocal } from '../acceptance/local.ts';

const run = promisify(execFile);
const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/** The shell blocks of the section about lost answers, in order. */
const section = readme.slice(readme.indexOf('## Five minutes'), readme.indexOf('## Protect a handler'));
const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text as string);

it('the tutorial tells what happens: unknown, then found by a retry, one charge', async (context) => {
  if (spawnSync('curl', ['--version']).error !== undefined) return context.skip('this machine has no curl');
  const [start = '', pay = '', ask = ''] = blocks;
  const assignments = [...start.matchAll(/([A-Z_]+)=(\d+)/g)].map(([, name, value]) => [name, value]);
  const local = await startLocal(Object.fromEntries(assignments));
  try {
    const again = pay.slice(pay.lastIndexOf('pay ticket-1'));
    const script = [pay, again, again, ask].join('\necho; echo ----\n').replaceAll('http://127.0.0.1:3000', local.url);
    const { stdout } = await run('bash', ['-c', script]);
    const [lost = '', found = '', replay = '', state = ''] = stdout.split('----\n');
    expect(lost).toMatch(/^HTTP\/1.1 503[\s\S]*"code":"outcome-pending"[\s\S]*"retry":"same-key"/);
    expect(found).toMatch(/^HTTP\/1.1 201/);
    expect(replay).toMatch(/^HTTP\/1.1 201[\s\S]*idempotency-replayed: true/i);
    const body = (reply: string) => reply.split('\r\n\r\n')[1];
    expect(body(replay)).toBe(body(found));
    expect(JSON.parse(state)).toMatchObject({ state: 'completed', status: 201 });
    expect(await local.ledger('order-1')).toHaveLength(1);
  } finally {
    await local.stop();
  }
});
