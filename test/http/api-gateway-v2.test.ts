import { describe, expect, test } from 'vitest';
import { fromEvent, fromResult, jwtPrincipal, toFirstResult, toResult } from '../../lib/http/api-gateway-v2.ts';
import { jsonResponse } from '../../lib/http/json-response.ts';
import { fingerprintOf } from '../../lib/idempotency/fingerprint.ts';
import { apiEvent, type EventParts } from '../support/events.ts';

const read = (parts: EventParts) => fromEvent(apiEvent(parts), jwtPrincipal());
const fingerprint = (parts: EventParts) => fingerprintOf(read(parts));
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('an event', () => {
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
    const lines = (headers: Record<string, string>) => read({ headers }).header('idempotency-key');
    expect(lines({ 'Idempotency-Key': 'k' })).toEqual(['k']);
    expect(lines({ 'IDEMPOTENCY-KEY': 'k', 'idempotency-key': 'l' })).toEqual(['k', 'l']);
    expect(lines({})).toEqual([]);
  });

  test('ignores a header that is there without a value', () => {
    const event = apiEvent({});
    event.headers['idempotency-key'] = undefined;
    expect(fromEvent(event, jwtPrincipal()).header('idempotency-key')).toEqual([]);
  });
});

describe('the identity of a route', () => {
  // C11
  test.each<[string, EventParts, EventParts]>([
    ['a trailing slash', { routeKey: '$default', path: '/a/b' }, { routeKey: '$default', path: '/a/b/' }],
    ['the stage', { routeKey: '$default', path: '/a/b' }, { routeKey: '$default', path: '/prod/a/b', stage: 'prod' }],
    ['the path of a route with a key', { routeKey: 'POST /a', path: '/a' }, { routeKey: 'POST /a', path: '/prod/a/' }],
  ])('does not depend on %s', (_, one, other) => {
    expect(fingerprint(one)).toBe(fingerprint(other));
  });

  test.each<[string, EventParts, EventParts]>([
    ['the path where there is no route', { routeKey: '$default', path: '/a' }, { routeKey: '$default', path: '/b' }],
    ['the root and another', { routeKey: '$default', path: '/' }, { routeKey: '$default', path: '/a' }],
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

describe('the principal', () => {
  const principal = (claims: Record<string, unknown> | null, tenantClaim?: string) =>
    jwtPrincipal(tenantClaim)(apiEvent({ claims }));

  // C19
  test.each<[string, Record<string, unknown> | null, string | undefined]>([
    ['no authorizer', null, undefined],
    ['no subject', {}, undefined],
    ['an empty subject', { sub: '' }, undefined],
    ['a subject that is no text', { sub: 7 }, undefined],
    ['no tenant where one is configured', { sub: 's' }, 'tenant'],
    ['an empty tenant where one is configured', { sub: 's', tenant: '' }, 'tenant'],
  ])('of %s is none', (_, claims, tenantClaim) => {
    expect(principal(claims, tenantClaim)).toBeUndefined();
  });

  test('comes from the verified claims and never from a header', () => {
    const event = apiEvent({ claims: { sub: 's', tenant: 't' }, headers: { 'x-tenant': 'other', tenant: 'other' } });
    expect(jwtPrincipal('tenant')(event)).toEqual({ tenant: 't', subject: 's' });
    expect(jwtPrincipal()(event)).toEqual({ subject: 's' });
  });

  test('of an authorizer of another kind is none', () => {
    const event = apiEvent({ claims: null });
    Object.assign(event.requestContext, { authorizer: { lambda: { sub: 's' } } });
    expect(jwtPrincipal()(event)).toBeUndefined();
  });
});

describe('a result', () => {
  // E4
  test.each([
    ['text', Buffer.from('salom ü'), 'salom ü', false],
    ['nothing', new Uint8Array(), '', false],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe), '//4=', true],
    ['text with a byte order mark', Buffer.from('\ufeffx'), '\ufeffx', false],
  ])('of %s comes back as the same bytes', (_, body, sent, isBase64Encoded) => {
    const result = toResult({ status: 200, headers: { etag: '"1"' }, body });
    expect(result).toEqual({ statusCode: 200, headers: { etag: '"1"' }, body: sent, isBase64Encoded });
    expect(Buffer.from(fromResult(result).body)).toEqual(Buffer.from(body));
  });

  test('is read with header names in lower case and their values as text', () => {
    const result = { statusCode: 201, headers: { 'X-Count': 3, Location: '/a, b', 'X-Flag': true } };
    expect(fromResult(result)).toEqual({
      status: 201,
      headers: { 'x-count': '3', location: '/a, b', 'x-flag': 'true' },
      body: Buffer.alloc(0),
    });
  });

  // A10
  test.each([
    ['undefined', undefined, ''],
    ['null', null, 'null'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['an empty object', {}, '{}'],
    ['text, as it is', 'hello', 'hello'],
    ['empty text', '', ''],
    ['a number', 7, '7'],
    ['an object whose status is no number', { statusCode: '201' }, '{"statusCode":"201"}'],
  ])('that is shorthand is spelled out: %s', (_, result, body) => {
    const spelledOut = fromResult(result);
    expect([spelledOut.status, text(spelledOut.body)]).toEqual([200, body]);
    expect(toFirstResult(result)).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body,
      isBase64Encoded: false,
    });
  });

  // E7
  test('leaves the first time as the handler made it, but without the mark of replays', () => {
    const cookies = ['session=1'];
    expect(
      toFirstResult({ statusCode: 201, headers: { 'Idempotency-Replayed': 'true', ETag: '"1"' }, cookies }),
    ).toEqual({
      statusCode: 201,
      headers: { ETag: '"1"' },
      cookies,
    });
    expect(toFirstResult({ statusCode: 204 })).toEqual({ statusCode: 204, headers: {} });
  });
});

test('a JSON answer describes a moment and is not to be kept', () => {
  const { status, headers, body } = jsonResponse(200, { a: 1 }, { 'retry-after': '3' });
  expect([status, text(body)]).toEqual([200, '{"a":1}']);
  expect(headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '3' });
});
