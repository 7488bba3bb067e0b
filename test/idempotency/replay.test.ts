import { describe, expect, test } from 'vitest';
import { replayOf, storable } from '../../lib/idempotency/replay.ts';

const body = Uint8Array.of(0, 255, 128);
const kept = (headers: Record<string, string>) => storable({ status: 201, headers, body }).headers;

describe('a stored answer', () => {
  // E1, E4
  test('keeps its status and its exact bytes', () => {
    expect(storable({ status: 204, headers: {}, body })).toEqual({ status: 204, headers: {}, body });
  });

  // E1, E3
  test.each([
    ['Content-Type', 'text/csv; charset=utf-8'],
    ['Location', '/things/1'],
    ['ETag', '"v1"'],
    ['Cache-Control', 'no-store'],
    ['Link', '<a>; rel="x", <b>; rel="y"'],
    ['X-Trace', 'a, b'],
    ['x-rate-class', 'gold'],
  ])('keeps %s as it is', (name, value) => {
    expect(kept({ [name]: value })).toEqual({ [name.toLowerCase()]: value });
  });

  // E2, E7
  test.each([
    'Set-Cookie',
    'set-cookie',
    'Date',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'WWW-Authenticate',
    'Authorization',
    'Expires',
    'Access-Control-Allow-Origin',
    'X-Request-Id',
    'X-Correlation-ID',
    'X-Amzn-Trace-Id',
    'X-Amz-Cf-Id',
    'X-Trace-Id',
    'X-B3-TraceId',
    'Idempotency-Replayed',
  ])('does not keep %s', (name) => {
    expect(kept({ [name]: 'x' })).toEqual({});
  });
});

describe('a replay', () => {
  // E7
  test('is the stored answer with the mark and nothing else', () => {
    const stored = { status: 201, headers: { location: '/things/1' }, body };
    expect(replayOf(stored)).toEqual({ ...stored, headers: { location: '/things/1', 'idempotency-replayed': 'true' } });
  });
});
