import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const ASSEMBLY = join(ROOT, 'cdk.out');

/** What `cdk synth` reads. The local run and the client are not in it. */
const SOURCES = ['bin/app.ts', 'lib/**/*.ts', 'functions/**/*.ts', 'cdk.json', 'package-lock.json'];
const NOT_SOURCES = ['lib/local/**', 'lib/client/**'];

/** The folder that `cdk synth` made; made anew when it is missing or older than what it is made from. */
export function ensureAssembly(): string {
  const madeAt = modifiedAt(join(ASSEMBLY, 'manifest.json'));
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: NOT_SOURCES }).map((file) => modifiedAt(join(ROOT, file)));
  if (madeAt > Math.max(...sources)) return ASSEMBLY;
  console.error(`cdk.out is ${madeAt === 0 ? 'missing' : 'older than its sources'}: running cdk synth once.\n`);
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules', '.bin', 'cdk'), 'synth', '--quiet'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      // Its own children look Node up, too.
      env: { ...process.env, PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env['PATH']}` },
    },
  );
  if (status !== 0) throw new Error(`cdk synth failed.\n${stderr}`);
  return ASSEMBLY;
}

/** 0: not there. */
const modifiedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
