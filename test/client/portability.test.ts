import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'lib/entry/client.ts');
const ONLY_FOR_NODE = 'file-storage.ts';

/** Beside the compiler, so that it finds its own libraries only. */
const folder = mkdtempSync(join(import.meta.dirname, 'generated-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bundle = () =>
  build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'chipta',
    minify: true,
  });

describe('the client', () => {
  it('compiles against a browser’s types alone, but for the storage in files', async () => {
    const files = [ENTRY, ...globSync(join(ROOT, 'lib/client/*.ts'))].filter(
      (file) => basename(file) !== ONLY_FOR_NODE,
    );
    expect(files.length).toBeGreaterThan(10);
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [] },
      files,
      include: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await expect(run('tsc', ['-p', folder], { cwd: ROOT })).resolves.toMatchObject({ stdout: '' });
  });

  it('bundles for a browser without anything of Node or of the rest of the repository', async () => {
    const { metafile } = await bundle();
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.filter((input) => !/^lib\/client\/|^lib\/entry\/client\.ts$/.test(input))).toEqual([]);
    expect(inputs.filter((input) => input.endsWith(ONLY_FOR_NODE))).toEqual([]);
    expect(Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external))).toEqual(
      [],
    );
  });

  it('runs where only the web’s globals are', async () => {
    const [file] = (await bundle()).outputFiles;
    const texts = new Map<string, string>();
    const web = {
      AbortController,
      Headers,
      Request,
      Response,
      TextDecoder,
      TextEncoder,
      atob,
      btoa,
      clearTimeout,
      crypto,
      setTimeout,
      localStorage: {
        getItem: (name: string) => texts.get(name) ?? null,
        setItem: (name: string, text: string) => texts.set(name, text),
      },
      fetch: async () => new Response('{"id":"pay_1"}', { status: 201 }),
    };
    const status = await runInContext(
      `${file?.text}
      (async () => {
        const payments = chipta.intentions({ storage: chipta.webStorage() });
        const payment = await payments.open('checkout', { url: 'https://shop.example/payments', body: { amount: 1 } });
        return (await payment.send()).response.status;
      })()`,
      createContext(web),
    );
    expect(status).toBe(201);
    expect(JSON.parse(texts.get('chipta:checkout') ?? '')).toMatchObject({ state: 'settled' });
  });
});
