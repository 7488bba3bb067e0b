import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpRequest } from '../../lib/http/message.ts';
import type { HttpResult } from '../../lib/http/result.ts';

const queryOf = ({ query }: HttpRequest, name: string): number => Number(query.find(([sent]) => sent === name)?.[1]);

/** The handlers behind the middleware: small services whose every run can be counted. */
export function createRoutes() {
  let count = 0;
  const routes: Readonly<Record<string, (request: HttpRequest) => Promise<HttpResult> | HttpResult>> = {
    echo: ({ contentType, body }) => ({
      statusCode: 201,
      headers: { 'content-type': contentType || 'application/octet-stream' },
      body: Buffer.from(body).toString('base64'),
      isBase64Encoded: true,
    }),
    status: ({ path }) => {
      const code = path.split('/')[2] ?? '';
      return { statusCode: Number(code), headers: { 'content-type': 'text/plain' }, body: `status:${code}` };
    },
    slow: async (request) => {
      const ms = queryOf(request, 'ms');
      await sleep(ms);
      return { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: `slept:${ms}` };
    },
    large: (request) => {
      const body = incompressible(queryOf(request, 'bytes')).toString('base64');
      return { statusCode: 200, headers: { 'content-type': 'application/octet-stream' }, body, isBase64Encoded: true };
    },
    headers: () => ({
      statusCode: 201,
      headers: {
        'Content-Type': 'application/json',
        Location: `/things/${count}`,
        ETag: '"v1"',
        'Set-Cookie': `session=${count}`,
        'Cache-Control': 'no-store',
        'X-Trace': 'a, b',
      },
      body: JSON.stringify({ n: count }),
    }),
    empty: () => ({ statusCode: 204 }),
  };
  return {
    handle: async (request: HttpRequest): Promise<HttpResult> => {
      if (request.path === '/counter') {
        return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ count }) };
      }
      const route = routes[request.path.split('/')[1] ?? ''];
      if (route === undefined) return { statusCode: 404, body: 'no such route' };
      count += 1;
      return route(request);
    },
    reset: () => {
      count = 0;
    },
  };
}

/** SHA-256 of 0, 1, 2 and so on, one after the other: bytes that do not compress and are the same each time. */
function incompressible(length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, n) =>
    createHash('sha256').update(String(n)).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}
