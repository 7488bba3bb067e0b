import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HttpReply } from '../gateway/http-reply.ts';

const SOURCES = join(import.meta.dirname, 'browser');

/** The page talks to this machine alone, and nothing in its markup runs or styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: HttpReply['headers'] = [
  ['cache-control', 'no-cache'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', CONTENT_SECURITY_POLICY],
  ['vary', 'accept-encoding'],
];

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

export type Assets = (request: IncomingMessage, path: string) => Promise<HttpReply | undefined>;

/** The page's files by path. They are bundled when somebody first asks: most local runs are never looked at. */
export function createAssets(): Assets {
  let made: Promise<ReadonlyMap<string, Asset>> | undefined;
  return async ({ headers }, path) => {
    made ??= makeAssets();
    const asset = (await made).get(path);
    if (asset === undefined) return undefined;
    const own: HttpReply['headers'] = [...HEADERS, ['content-type', asset.type], ['etag', asset.etag]];
    if (headers['if-none-match'] === asset.etag) return { status: 304, headers: own, body: '' };
    if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return { status: 200, headers: own, body: asset.bytes };
    return { status: 200, headers: [...own, ['content-encoding', 'gzip']], body: asset.gzipped };
  };
}

async function makeAssets(): Promise<ReadonlyMap<string, Asset>> {
  const [html, icon, { script, styles }] = await Promise.all([
    readFile(join(SOURCES, 'index.html')),
    readFile(join(SOURCES, 'icon.svg')),
    bundle(),
  ]);
  const asset = async (path: string, type: string, bytes: Buffer): Promise<[string, Asset]> => {
    const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`;
    return [path, { type, bytes, gzipped: await promisify(gzip)(bytes), etag }];
  };
  return new Map(
    await Promise.all([
      asset('/', 'text/html; charset=utf-8', html),
      asset('/local/page/icon.svg', 'image/svg+xml', icon),
      asset('/local/page/page.js', 'text/javascript; charset=utf-8', script),
      asset('/local/page/page.css', 'text/css; charset=utf-8', styles),
    ]),
  );
}

async function bundle(): Promise<{ readonly script: Buffer; readonly styles: Buffer }> {
  // Here, so that a local run which nobody looks at starts without a bundler.
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: { page: join(SOURCES, 'main.ts'), styles: join(SOURCES, 'styles', 'page.css') },
      outdir: SOURCES,
      write: false,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2023',
      charset: 'utf8',
      legalComments: 'none',
      logLevel: 'silent',
    });
    const bytesOf = (end: string) => Buffer.from(outputFiles.find(({ path }) => path.endsWith(end))?.contents ?? []);
    return { script: bytesOf('.js'), styles: bytesOf('.css') };
  } finally {
    await stop();
  }
}
