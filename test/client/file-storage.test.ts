import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { fileStorage } from '../../lib/client/file-storage.ts';
import { storageContract } from './storage-contract.ts';

const root = mkdtempSync(join(tmpdir(), 'chipta-client-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Some 40 MB: while they are written and flushed, a test has the time to come in between. */
const SLOW_TEXTS = 10_000_000;

let made = 0;
const freshDirectory = (): string => {
  made += 1;
  return join(root, `kept-${made}`);
};
const filesIn = (directory: string): readonly string[] =>
  readdirSync(directory).flatMap((folder) => readdirSync(join(directory, folder)).map((file) => join(folder, file)));

storageContract('the storage in files', () => {
  const directory = freshDirectory();
  return { reopen: () => fileStorage({ directory }) };
});

storageContract('the storage in files of a system that flushes no directories', () => {
  const directory = freshDirectory();
  return { reopen: () => fileStorage({ directory, flushesDirectories: false }) };
});

/** Another process that counts one name up, as often as it wins. */
function counter(directory: string, times: number): Promise<number> {
  const module = pathToFileURL(join(import.meta.dirname, '../../lib/client/file-storage.ts'));
  const script = `
    import { fileStorage } from '${module}';
    const storage = fileStorage({ directory: ${JSON.stringify(directory)} });
    for (let won = 0; won < ${times}; ) {
      const text = await storage.read('count');
      won += (await storage.replace('count', text, String(Number(text) + 1))) ? 1 : 0;
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

describe('the storage in files', () => {
  it('loses no write among processes', async () => {
    const directory = freshDirectory();
    const storage = fileStorage({ directory });
    await storage.create('count', '0');
    expect(await Promise.all([counter(directory, 40), counter(directory, 40), counter(directory, 40)])).toEqual([
      0, 0, 0,
    ]);
    expect(Number(await storage.read('count'))).toBeGreaterThanOrEqual(120);
  });

  it('can be read by its owner only, and leaves one file for each name', async () => {
    const directory = freshDirectory();
    const storage = fileStorage({ directory });
    await storage.create('a', 'one');
    await storage.replace('a', 'one', 'two');
    expect(filesIn(directory)).toHaveLength(1);
    for (const file of filesIn(directory)) expect(statSync(join(directory, file)).mode & 0o077).toBe(0);
    expect(statSync(directory).mode & 0o077).toBe(0);
  });

  it('ignores the draft of a process that died while it wrote', async () => {
    const directory = freshDirectory();
    const storage = fileStorage({ directory });
    await storage.create('a', 'one');
    const [folder = ''] = readdirSync(directory);
    writeFileSync(join(directory, folder, 'draft-1'), 'ha');
    expect(await storage.read('a')).toBe('one');
  });

  it('does not look for ever for a file that is listed and is not there', async () => {
    const directory = freshDirectory();
    const storage = fileStorage({ directory });
    await storage.create('a', 'one');
    const [folder = ''] = readdirSync(directory);
    symlinkSync('nowhere', join(directory, folder, '2'));
    await expect(storage.read('a')).rejects.toThrow(/changes faster/);
  });

  it('says no to a write that others have passed meanwhile, and leaves theirs', async () => {
    const directory = freshDirectory();
    const storage = fileStorage({ directory });
    await storage.create('a', 'one');
    const slow = storage.replace('a', 'one', 'slow'.repeat(SLOW_TEXTS));
    const [folder = ''] = readdirSync(directory);
    await vi.waitUntil(() => filesIn(directory).some((file) => file.includes('draft')), { interval: 1 });
    // The version that the slow writer is about to take was taken and removed again by two quick ones.
    writeFileSync(join(directory, folder, '3'), 'quick');
    expect([await slow, await storage.read('a')]).toEqual([false, 'quick']);
    expect(filesIn(directory)).toHaveLength(2);
  });

  it('rejects when it cannot write or read, and is not taken for empty', async () => {
    const directory = freshDirectory();
    writeFileSync(directory, 'a file in its place');
    await expect(fileStorage({ directory }).create('a', 'one')).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(fileStorage({ directory }).read('a')).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
