import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../../lib/http/exchange.ts';
import { verifiedPrincipal } from '../../lib/http/principal.ts';
import { fingerprintOf } from '../../lib/idempotency/fingerprint.ts';
import { type RestParts, restEvent } from './events.ts';

const exchange = (event: APIGatewayProxyEvent) => exchangeOf(event, { principal: verifiedPrincipal() });
const read = (parts: RestParts) => exchange(restEvent(parts)).request;
const fingerprint = (parts: RestParts) => fingerprintOf(read(parts));

describe('an event of format 1.0', () => {
  test('is read as the request that was sent', () => {
    const request = read({
      method: 'post',
      resource: '/payments/{id}',
      path: '/payments/7',
      parameters: { id: '7' },
      query: { b: ['2', 'ü x'], a: ['1'] },
      body: 'hello',
    });
    expect(request).toMatchObject({
      method: 'POST',
      path: '/payments/7',
      route: 'POST /payments/{id}',
      parameters: { id: '7' },
      query: [
        ['b', '2'],
        ['b', 'ü x'],
        ['a', '1'],
      ],
      contentType: 'application/json',
      principal: { subject: 'alice' },
      instance: '/payments/7#request-1',
    });
    expect(Buffer.from(request.body).toString()).toBe('hello');
  });

  // E4, C7
  test('with a binary body gives its exact bytes', () => {
    expect([...read({ body: Uint8Array.of(0, 255, 254, 128) }).body]).toEqual([0, 255, 254, 128]);
  });

  // D3
  test('gives every line of a header, and those that are in one member only', () => {
    const event = restEvent({ headers: { 'Idempotency-Key': ['k1', 'k2'] } });
    Object.assign(event.headers, { 'X-Single': 'yes', 'idempotency-key': 'k2' });
    const { request } = exchange(event);
    expect(request.header('idempotency-key')).toEqual(['k1', 'k2']);
    expect(request.header('x-single')).toEqual(['yes']);
  });

  test('without lists and parameters, as a test of one’s own makes it, is read all the same', () => {
    const event = restEvent({ query: { a: ['1'] } });
    const { multiValueHeaders: _, multiValueQueryStringParameters: __, ...bare } = event;
    Object.assign(bare.queryStringParameters ?? {}, { b: undefined });
    const { request } = exchange(bare as APIGatewayProxyEvent);
    expect([request.contentType, request.query]).toEqual(['application/json', [['a', '1']]]);
    const empty = { ...bare, headers: null, queryStringParameters: null } as unknown as APIGatewayProxyEvent;
    expect([exchange(empty).request.contentType, exchange(empty).request.query]).toEqual(['', []]);
  });

  test('ignores names whose lists are not there', () => {
    const event = restEvent({});
    Object.assign(event, {
      multiValueHeaders: { a: undefined },
      multiValueQueryStringParameters: { a: undefined },
    });
    expect([exchange(event).request.header('a'), exchange(event).request.query]).toEqual([[], []]);
  });
});

describe('the identity of a request to a REST API', () => {
  // C11
  test.each<[string, RestParts, RestParts]>([
    ['the stage', { stage: 'prod' }, { stage: 'test' }],
    ['a custom domain’s base path', { resource: '/a', path: '/a' }, { resource: '/a', path: '/shop/a' }],
    ['a trailing slash', { resource: '/a', path: '/a' }, { resource: '/a', path: '/a/' }],
    ['the order of query names', { query: { a: ['1'], b: ['2'] } }, { query: { b: ['2'], a: ['1'] } }],
    [
      'the stage in a path without a route',
      { resource: '$default', path: '/a' },
      { resource: '$default', path: '/test/a/', stage: 'test' },
    ],
  ])('does not depend on %s', (_, one, other) => {
    expect(fingerprint(one)).toBe(fingerprint(other));
  });

  // C11
  test.each<[string, RestParts, RestParts]>([
    ['the resource', { resource: '/a' }, { resource: '/b' }],
    [
      'what is in the path',
      { resource: '/a/{id}', parameters: { id: '1' } },
      { resource: '/a/{id}', parameters: { id: '2' } },
    ],
    ['the order of one name’s values', { query: { a: ['1', '2'] } }, { query: { a: ['2', '1'] } }],
  ])('depends on %s', (_, one, other) => {
    expect(fingerprint(one)).not.toBe(fingerprint(other));
  });
});

describe('a result of format 1.0', () => {
  const { toResult, ownResult } = exchange(restEvent());

  test('has one line of a name in `headers` and several in `multiValueHeaders`', () => {
    const result = {
      statusCode: 201,
      headers: { ETag: '"1"', 'Set-Cookie': 'gone=1' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
      cookies: ['c=3'],
      body: 'x',
    };
    expect(ownResult(result)).toEqual({
      statusCode: 201,
      headers: { ETag: '"1"' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2', 'c=3'] },
      body: 'x',
    });
  });

  // E4
  test('says which body is base64', () => {
    const response = (body: Uint8Array) => toResult({ status: 200, headers: {}, body });
    expect(response(Uint8Array.of(0xff, 0xfe))).toEqual({
      statusCode: 200,
      headers: {},
      body: '//4=',
      isBase64Encoded: true,
    });
    expect(response(Buffer.from('ü'))).toMatchObject({ body: 'ü', isBase64Encoded: false });
  });
});
