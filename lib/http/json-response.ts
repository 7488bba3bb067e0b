import type { HttpResponse } from './message.ts';

/** A JSON answer that describes a moment and must not be kept. */
export const jsonResponse = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: new TextEncoder().encode(JSON.stringify(value)),
});
