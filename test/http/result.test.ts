import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { V2 } from '../../lib/http/api-gateway-v2.ts';
import { fromResult, ownResult, toResult } from '../../lib/http/result.ts';
import { MisuseError } from '../../lib/idempotency/errors.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('a result', () => {
  // E4
  test.each([
    ['text', Buffer.from('salom ü'), 'salom ü', false],
    ['nothing', new Uint8Array(), '', false],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe), '//4=', true],
    ['text with a byte order mark', Buffer.from('\ufeffx'), '\ufeffx', false],
  ])('of %s comes back as the same bytes', (_, body, sent, isBase64Encoded) => {
    const result = toResult(V2, { status: 200, headers: { etag: '"1"' }, body });
    expect(result).toEqual({ statusCode: 200, headers: { etag: '"1"' }, body: sent, isBase64Encoded });
    expect(Buffer.from(fromResult(result).body)).toEqual(Buffer.from(body));
  });

  // E3
  test('is read with header names in lower case and their values as text, commas and all', () => {
    const result = {
      statusCode: 201,
      headers: { 'X-Count': 3, Location: '/a, b', 'X-Flag': true },
      multiValueHeaders: { Link: ['<a>; rel="x"', '<b>'], LOCATION: ['/c'] },
      cookies: ['a=1'],
    };
    expect(fromResult(result)).toEqual({
      status: 201,
      headers: { 'x-count': '3', 'x-flag': 'true', link: '<a>; rel="x", <b>', location: '/c', 'set-cookie': 'a=1' },
      body: Buffer.alloc(0),
    });
  });

  test('with a member that is null is read as without it', () => {
    const result = { statusCode: 204, headers: { 'X-A': null }, body: null };
    expect(fromResult(result)).toEqual({ status: 204, headers: {}, body: Buffer.alloc(0) });
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
    ['a function, which is nothing in JSON', () => 1, ''],
    ['an object whose status is no number', { statusCode: '201' }, '{"statusCode":"201"}'],
  ])('that is shorthand is spelled out: %s', (_, result, body) => {
    const spelledOut = fromResult(result);
    expect([spelledOut.status, text(spelledOut.body)]).toEqual([200, body]);
    expect(ownResult(V2, result)).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      body,
      isBase64Encoded: false,
    });
  });

  // E7
  test('leaves the first time as the handler made it, but without marks that are not its own to set', () => {
    const cookies = ['session=1'];
    const headers = { 'Idempotency-Replayed': 'true', 'IDEMPOTENCY-KEY-IGNORED': 'true', ETag: '"1"' };
    const multiValueHeaders = { 'idempotency-replayed': ['true'] };
    expect(ownResult(V2, { statusCode: 201, headers, multiValueHeaders, cookies })).toEqual({
      statusCode: 201,
      headers: { ETag: '"1"' },
      cookies,
    });
    expect(ownResult(V2, { statusCode: 204 })).toEqual({ statusCode: 204, headers: {} });
  });

  // E6
  test('gets what is said afresh instead of its own, but keeps what it varies by', () => {
    const headers = { 'Access-Control-Allow-Origin': '*', Vary: 'Accept', 'X-A': '1' };
    const fresh = { 'access-control-allow-origin': 'https://a.example', vary: 'Origin' };
    expect(ownResult(V2, { statusCode: 200, headers }, fresh).headers).toEqual({
      'X-A': '1',
      'access-control-allow-origin': 'https://a.example',
      vary: 'Accept, Origin',
    });
    expect(ownResult(V2, undefined, fresh).headers).toMatchObject({ vary: 'Origin' });
  });
});

describe('a body that is no text', () => {
  // E4
  test.each([
    ['a stream of Node', Readable.from(['x'])],
    ['a stream of the web', new ReadableStream()],
    ['a response of the web', new Response('x')],
    ['a blob', new Blob(['x'])],
    ['a generator', (async function* () {})()],
  ])('is refused before anything is stored, with the cure: %s', (_, stream) => {
    for (const result of [stream, { statusCode: 200, body: stream }]) {
      expect(() => fromResult(result)).toThrow(MisuseError);
      expect(() => fromResult(result)).toThrow(/stream, which can be neither stored nor replayed. Read it to its end/);
    }
  });

  test.each([
    ['an object', { a: 1 }, '[object Object]'],
    ['bytes', Buffer.from('x'), '[object Uint8Array]'],
    ['a number', 7, '[object Number]'],
  ])('is refused with the cure: %s', (_, body, what) => {
    expect(() => fromResult({ statusCode: 200, body })).toThrow(`a body that is ${what}. Return a string`);
  });

  test('passes where nothing is stored of it', () => {
    const stream = new ReadableStream();
    expect(ownResult(V2, stream, { vary: 'Origin' })).toBe(stream);
    expect(ownResult(V2, { statusCode: 200, body: stream }, { vary: 'Origin' })).toEqual({
      statusCode: 200,
      headers: { vary: 'Origin' },
      body: stream,
    });
  });
});
