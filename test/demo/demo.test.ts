import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The demo takes 14 s on a quiet machine. */
const DEMO_MS_MAX = 60_000;

/** The block of the README between its markers, without the fence around it. */
const README_BLOCK = /<!-- demo -->\s+```\w*\n([\s\S]*?)```\s+<!-- \/demo -->/;

it('prints what the README shows, without colours where nobody reads it on a terminal', {
  timeout: DEMO_MS_MAX,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/demo.ts', 'cdk.out']);
  const shown = README_BLOCK.exec(readFileSync('README.md', 'utf8'))?.[1];
  expect(stdout.trim()).toBe(shown?.trim());
});
