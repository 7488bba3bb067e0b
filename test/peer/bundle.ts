import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface Bundle {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Both handlers as one would deploy them: bundled, so that neither starts slower than the other for lack of it. */
export async function bundleHandlers(): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), 'chipta-peer-'));
  await build({
    entryPoints: ['powertools', 'chipta'].map((name) => join(import.meta.dirname, 'handlers', `${name}.ts`)),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // CommonJS inside of ES modules asks for it.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
