import type { StoredResponse } from './claim.ts';

/** Marks an answer that came from the store; on replays only. */
export const REPLAYED_HEADER = 'idempotency-replayed';

const STORED = new Set(['content-type', 'location', 'etag', 'cache-control', 'link']);

/** Ids of one request and the infrastructure's marks would be lies on another answer; credentials are nobody's to keep. */
const NEVER = /^x-(amz|.*(request|correlation|trace)-?id|.*(auth|token|secret|api-?key))/;

/** `Set-Cookie`, `Date`, lengths, hop-by-hop and authentication headers are not on the list, so they never come back. */
const isStored = (name: string): boolean => STORED.has(name) || (name.startsWith('x-') && !NEVER.test(name));

/** The part of a handler's answer that is kept for replays: status, exact bytes, allow-listed headers. */
export function storable(response: StoredResponse): StoredResponse {
  const kept = Object.entries(response.headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => isStored(name));
  return { status: response.status, headers: Object.fromEntries(kept), body: response.body };
}

/** The stored answer, marked. */
export const replayOf = (response: StoredResponse): StoredResponse => ({
  ...response,
  headers: { ...response.headers, [REPLAYED_HEADER]: 'true' },
});
