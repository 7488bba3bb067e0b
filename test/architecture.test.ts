import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** What each place may import, besides itself. The order is the picture: from the deployed outside to the pure inside. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'bin/app': ['lib/stacks'],
  'lib/stacks': ['lib/constructs', 'lib/contract'],
  'lib/constructs': ['lib/contract'],
  bin: ['lib/local', 'lib/client', 'lib/payments', 'lib/stores', 'lib/runtime', 'lib/idempotency'],
  'lib/entry': [
    'lib/client',
    'lib/middy',
    'lib/stores',
    'lib/payments',
    'lib/constructs',
    'lib/runtime',
    'lib/http',
    'lib/idempotency',
  ],
  'lib/local': ['lib/contract', 'lib/client', 'lib/idempotency'],
  functions: ['lib/middy', 'lib/payments', 'lib/stores', 'lib/runtime', 'lib/contract', 'lib/idempotency', 'lib/http'],
  'lib/middy': ['lib/http', 'lib/idempotency'],
  'lib/stores/dynamodb': ['lib/stores', 'lib/contract', 'lib/idempotency'],
  'lib/stores': ['lib/idempotency'],
  'lib/payments': ['lib/idempotency'],
  'lib/http': ['lib/idempotency'],
  'lib/runtime': ['lib/contract', 'lib/idempotency'],
  // The browser's and Node's own halves of the client; its core has no clock, no chance and no Node.
  'lib/client/system': ['lib/client'],
  'lib/client/file-storage': ['lib/client'],
  'lib/client': [],
  'lib/idempotency': [],
  'lib/contract': [],
};

/** Packages that only some places may know. */
const PACKAGES: readonly (readonly [pattern: RegExp, places: readonly string[]])[] = [
  [/^aws-cdk-lib|^constructs$|^cdk-nag/, ['bin/app', 'lib/stacks', 'lib/constructs']],
  [/^@aws-sdk\/(client|lib)-dynamodb/, ['lib/stores/dynamodb', 'lib/local']],
  [/^@aws-sdk\/client-secrets-manager/, ['lib/runtime']],
  [/^@middy\//, ['lib/middy', 'lib/entry', 'functions']],
  [/^stripe$/, ['lib/payments']],
  [/^aws-lambda$/, ['lib/middy', 'lib/http', 'lib/entry', 'functions', 'lib/local']],
];

/** The core hashes and the client runs in browsers; nothing else of Node is theirs. */
const NODE_MODULES: Readonly<Record<string, readonly string[]>> = {
  'lib/idempotency': ['node:crypto'],
  'lib/client': [],
  'lib/client/system': [],
  'lib/client/file-storage': ['node:crypto', 'node:fs/promises', 'node:path'],
};

const files = globSync(['bin/**/*.ts', 'lib/**/*.{ts,mjs}', 'functions/**/*.ts'], { cwd: ROOT }).map((file) =>
  normalize(file),
);

const placeOf = (file: string): string =>
  Object.keys(ARROWS)
    .filter((place) => file === `${place}.ts` || file.startsWith(`${place}/`))
    .sort((a, b) => b.length - a.length)[0] ?? `no place for ${file}`;

const isAllowed = (from: string, to: string): boolean =>
  to === from || (ARROWS[from] ?? []).some((place) => to === place || to.startsWith(`${place}/`));

const IMPORT = /(?:^|\s)(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|import\(['"]([^'"]+)['"]\)/g;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const importsOf = (file: string): readonly string[] =>
  [...read(file).matchAll(IMPORT)].map(([, statement, call]) => (statement ?? call) as string);

describe('the layout', () => {
  it('has a place for every file', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !(placeOf(file) in ARROWS))).toEqual([]);
  });

  it('follows its arrows', () => {
    const strays = files.flatMap((file) => {
      const from = placeOf(file);
      return importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => normalize(join(dirname(file), specifier)))
        .filter((target) => !isAllowed(from, placeOf(target)))
        .map((target) => `${file} -> ${target}`);
    });
    expect(strays).toEqual([]);
  });

  it('keeps each package where it belongs', () => {
    const strays = files.flatMap((file) => {
      const place = placeOf(file);
      const isStray = (specifier: string): boolean =>
        specifier.startsWith('node:')
          ? NODE_MODULES[place]?.includes(specifier) === false
          : PACKAGES.some(([pattern, places]) => pattern.test(specifier) && !places.includes(place));
      return importsOf(file)
        .filter(isStray)
        .map((specifier) => `${file} -> ${specifier}`);
    });
    expect(strays).toEqual([]);
  });

  it('reads the clock, chance, the environment and the console in few places only', () => {
    const REAL = /\bDate\.now\(|new Date\(\)|\bMath\.random\(|\bprocess\.env\b|\bconsole\.|\brandomUUID\b/;
    const allowed = [
      'lib/client/system',
      'lib/client/file-storage',
      'bin',
      'bin/app',
      'lib/runtime',
      'lib/local',
      'lib/constructs',
      'lib/stacks',
    ];
    const strays = files.filter((file) => !allowed.includes(placeOf(file)) && REAL.test(read(file)));
    expect(strays).toEqual([]);
  });

  it('keeps every file short enough to read in one go, and named after what it is', () => {
    expect(files.filter((file) => read(file).split('\n').length > 300)).toEqual([]);
    expect(files.filter((file) => /\/(utils?|helpers?|misc|common)\.ts$/.test(file))).toEqual([]);
    const handlers = files.filter((file) => file.endsWith('/handler.ts'));
    expect(handlers.filter((file) => read(file).trim().split('\n').length > 15)).toEqual([]);
  });
});
