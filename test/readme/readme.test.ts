import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** Inside the package, so that `chipta` resolves to it as it would for its users. */
const FOLDER = join(import.meta.dirname, 'generated');

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text as string);

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  for (const code of blocks('ts')) {
    const [, name] = /^\/\/ (\S+\.ts)\n/.exec(code) ?? [];
    if (name === undefined) throw new Error(`A block of the README does not begin with its file's name:\n${code}`);
    writeFileSync(join(FOLDER, name), code);
  }
  writeFileSync(
    join(FOLDER, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', include: ['*.ts'] }),
  );
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

describe('the README', () => {
  it('gives the two commands literally, and scripts behind them', () => {
    expect(blocks('sh')).toEqual(expect.arrayContaining(['npm ci && npm start\n', 'npm ci && npm test\n']));
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts).toMatchObject({ start: expect.any(String), test: expect.any(String), fixture: expect.any(String) });
  });

  it('shows code that compiles', async () => {
    expect(blocks('ts').length).toBeGreaterThanOrEqual(4);
    await expect(run('tsc', ['-p', FOLDER], { cwd: ROOT })).resolves.toMatchObject({ stdout: '' });
  });

  it('shows a handler and its test, and the test passes', async () => {
    const { stdout } = await run(
      'vitest',
      ['run', '--dir', FOLDER, '--config', join(import.meta.dirname, 'vitest.config.ts')],
      {
        cwd: ROOT,
        env: { ...process.env, NO_COLOR: '1' },
      },
    );
    expect(stdout).toMatch(/Tests\s+2 passed/);
  });

  it('shows a CDK app that synthesises', async () => {
    const app = join(FOLDER, 'app.ts');
    await expect(
      run('node', [app], { cwd: ROOT, env: { ...process.env, CDK_OUTDIR: join(FOLDER, 'cdk.out') } }),
    ).resolves.toBeDefined();
    const template = JSON.parse(readFileSync(join(FOLDER, 'cdk.out/Bookings.template.json'), 'utf8'));
    expect(Object.values<{ Type: string }>(template.Resources).map(({ Type }) => Type)).toContain(
      'AWS::DynamoDB::GlobalTable',
    );
  });

  it('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!http|#)([^)#]+)/g)].map(([, path]) => path as string);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
