import { describe, expect, test } from 'vitest';
import { fromEvent, jwtPrincipal, toResult } from '../../lib/http/api-gateway-v2.ts';
import { jsonResponse } from '../../lib/http/json-response.ts';
import { fingerprintOf } from '../../lib/idempotency/fingerprint.ts';
import { apiEvent, type EventParts } from '../support/events.ts';

const read = (parts: EventParts) => fromEvent(apiEvent(parts), jwtPrincipal());
const fingerprint = (parts: EventParts) => fingerprintOf(read(parts));
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('an event of format 2.0', () => {
  test('is read as the request that was sent', () => {
    const request = read({
      method: 'post',
      path: '/payments/7',
      routeKey: 'POST /payments/{id}',
      parameters: { id: '7' },
      query: 'b=2&a=1&b=%C3%BC+x',
      body: 'hello',
    });
    expect(request).toMatchObject({
      method: 'POST',
      path: '/payments/7',
      route: 'POST /payments/{id}',
      parameters: { id: '7' },
      query: [
        ['b', '2'],
        ['a', '1'],
        ['b', 'ü x'],
      ],
      contentType: 'application/json',
      principal: { subject: 'alice' },
      instance: '/payments/7#request-1',
    });
    expect(text(request.body)).toBe('hello');
  });

  // E4, C7
  test('with a binary body gives its exact bytes', () => {
    expect([...read({ body: Uint8Array.of(0, 255, 254, 128) }).body]).toEqual([0, 255, 254, 128]);
  });

  test('without a body, a content type or parameters is read all the same', () => {
    const event = apiEvent({});
    event.headers = {};
    event.pathParameters = { proxy: undefined };
    const request = fromEvent(event, jwtPrincipal());
    expect([request.contentType, request.body.byteLength, request.parameters]).toEqual(['', 0, {}]);
  });

  // D3
  test('gives a header’s lines whatever the case of its name', () => {
    const lines = (headers: Record<string, string>) => read({ headers }).header('Idempotency-Key');
    expect(lines({ 'Idempotency-Key': 'k' })).toEqual(['k']);
    expect(lines({ 'IDEMPOTENCY-KEY': 'k', 'idempotency-key': 'l' })).toEqual(['k', 'l']);
    expect(lines({})).toEqual([]);
  });

  test('ignores a header that is there without a value', () => {
    const event = apiEvent({});
    event.headers['idempotency-key'] = undefined;
    expect(fromEvent(event, jwtPrincipal()).header('idempotency-key')).toEqual([]);
  });

  test.each([
    ['letters beyond ASCII', '/zahlungen/ü', '/zahlungen/%C3%BC#request-1'],
    ['what is encoded already', '/a%2Fb', '/a%2Fb#request-1'],
    ['half a letter', '/a\ud800', '/a%EF%BF%BD#request-1'],
  ])('has a URI for its problems, whatever its path holds: %s', (_, path, instance) => {
    expect(read({ path }).instance).toBe(instance);
  });
});

describe('the identity of a route', () => {
  // C11
  test.each<[string, EventParts, EventParts]>([
    ['a trailing slash', { routeKey: '$default', path: '/a/b' }, { routeKey: '$default', path: '/a/b/' }],
    ['the stage', { routeKey: '$default', path: '/a/b' }, { routeKey: '$default', path: '/prod/a/b', stage: 'prod' }],
    ['the path of a route with a key', { routeKey: 'POST /a', path: '/a' }, { routeKey: 'POST /a', path: '/prod/a/' }],
    [
      'a trailing slash that a greedy parameter caught',
      { routeKey: 'POST /files/{name+}', parameters: { name: 'a/b' } },
      { routeKey: 'POST /files/{name+}', parameters: { name: 'a/b/' } },
    ],
    ['whether the route is for any method', { routeKey: 'POST /a' }, { routeKey: 'ANY /a' }],
  ])('does not depend on %s', (_, one, other) => {
    expect(fingerprint(one)).toBe(fingerprint(other));
  });

  // C11
  test.each<[string, EventParts, EventParts]>([
    ['the path where there is no route', { routeKey: '$default', path: '/a' }, { routeKey: '$default', path: '/b' }],
    ['the root and another', { routeKey: '$default', path: '/' }, { routeKey: '$default', path: '/a' }],
    ['the method on a route for any', { routeKey: 'ANY /a', method: 'POST' }, { routeKey: 'ANY /a', method: 'PATCH' }],
    [
      'what a route for everything caught',
      { routeKey: 'ANY /{proxy+}', parameters: { proxy: 'payments/1/cancel' } },
      { routeKey: 'ANY /{proxy+}', parameters: { proxy: 'payments/2/cancel' } },
    ],
  ])('depends on %s', (_, one, other) => {
    expect(fingerprint(one)).not.toBe(fingerprint(other));
  });

  test('keeps the root, and a path that only begins like the stage', () => {
    const route = (path: string, stage: string) => read({ routeKey: '$default', path, stage }).route;
    expect([route('/', '$default'), route('/product', 'prod'), route('/prod', 'prod')]).toEqual([
      '/',
      '/product',
      '/prod',
    ]);
  });

  test('of a greedy route that caught nothing is the route', () => {
    expect(read({ routeKey: 'ANY /{proxy+}' })).toMatchObject({ route: 'POST /{proxy+}', parameters: {} });
  });
});

describe('a query', () => {
  // C7
  test('whose bytes are no UTF-8 is told apart from every other', () => {
    const queries = ['a=%FF', 'a=%FE', 'a=%EF%BF%BD', 'a=', 'a=%25FF', '%FF=a', ''];
    expect(new Set(queries.map((query) => fingerprint({ query }))).size).toBe(queries.length);
  });

  test('is one whatever its encoding and the order of its names', () => {
    expect(fingerprint({ query: 'a=%41&b=x+y' })).toBe(fingerprint({ query: 'b=x%20y&a=A' }));
  });
});

test('a response leaves in the shape of format 2.0', () => {
  const response = { status: 201, headers: { etag: '"1"' }, body: Buffer.from('salom') };
  expect(toResult(response)).toEqual({
    statusCode: 201,
    headers: { etag: '"1"' },
    body: 'salom',
    isBase64Encoded: false,
  });
});

test('a JSON answer describes a moment and is not to be kept', () => {
  const { status, headers, body } = jsonResponse(200, { a: 1 }, { 'retry-after': '3' });
  expect([status, text(body)]).toEqual([200, '{"a":1}']);
  expect(headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '3' });
});
