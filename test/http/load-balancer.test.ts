import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../../lib/http/exchange.ts';
import { verifiedPrincipal } from '../../lib/http/principal.ts';
import { fingerprintOf } from '../../lib/idempotency/fingerprint.ts';
import { type BalancerParts, balancerEvent } from './events.ts';

const exchange = (parts: BalancerParts = {}) => exchangeOf(balancerEvent(parts), { principal: verifiedPrincipal() });
const fingerprint = (parts: BalancerParts) => fingerprintOf(exchange(parts).request);

describe.each([false, true])('an event of a load balancer (multi-value headers: %s)', (isMultiValue) => {
  test('is read as the request that was sent, its query decoded', () => {
    const { request, format } = exchange({
      isMultiValue,
      method: 'post',
      path: '/payments/',
      query: { 'a%5B%5D': ['%C3%BC+x'], b: ['1%262'] },
      body: 'hello',
    });
    expect(format).toBe(isMultiValue ? 'alb-multi' : 'alb');
    expect(request).toMatchObject({
      method: 'POST',
      path: '/payments/',
      route: '/payments',
      parameters: {},
      query: [
        ['a[]', 'ü x'],
        ['b', '1&2'],
      ],
      contentType: 'application/json',
      principal: undefined,
      instance: '/payments/#Root%3D1-2',
    });
    expect(Buffer.from(request.body).toString()).toBe('hello');
  });

  // E4, C7
  test('with a binary body gives its exact bytes, and without one none', () => {
    expect([...exchange({ isMultiValue, body: Uint8Array.of(0, 255) }).request.body]).toEqual([0, 255]);
    expect(exchange({ isMultiValue }).request.body.byteLength).toBe(0);
  });

  // C7
  test('whose query is no UTF-8 is told apart from every other', () => {
    const queries = ['%FF', '%FE', '%EF%BF%BD', ''].map((value) => ({ isMultiValue, query: { a: [value] } }));
    expect(new Set(queries.map(fingerprint)).size).toBe(queries.length);
  });
});

test('an event without a trace or a type of content is read all the same', () => {
  const event = { ...balancerEvent(), headers: {} };
  const { request } = exchangeOf(event, { principal: verifiedPrincipal() });
  expect([request.instance, request.contentType]).toEqual(['/payments#', '']);
});

test('a base path that is configured is no part of the identity', () => {
  const route = (path: string) =>
    exchangeOf(balancerEvent({ path }), { principal: verifiedPrincipal(), basePath: 'shop' }).request.route;
  expect([route('/shop/payments/'), route('/payments'), route('/shopping')]).toEqual([
    '/payments',
    '/payments',
    '/shopping',
  ]);
});

// D3: the balancer keeps the last of several lines, so a second key can only be seen with multi-value headers.
test('two keys are seen with multi-value headers only', () => {
  const keys = (isMultiValue: boolean) =>
    exchange({ isMultiValue, headers: { 'idempotency-key': ['k1', 'k2'] } }).request.header('idempotency-key');
  expect([keys(true), keys(false)]).toEqual([['k1', 'k2'], ['k2']]);
});

describe('a result for a load balancer', () => {
  const response = { status: 201, headers: { etag: '"1"' }, body: Uint8Array.of(0xff) };

  test('describes its status, and has its header where the target group looks for it', () => {
    expect(exchange().toResult(response)).toEqual({
      statusCode: 201,
      statusDescription: '201 Created',
      headers: { etag: '"1"' },
      body: '/w==',
      isBase64Encoded: true,
    });
    expect(exchange({ isMultiValue: true }).toResult(response)).toEqual({
      statusCode: 201,
      statusDescription: '201 Created',
      multiValueHeaders: { etag: ['"1"'] },
      body: '/w==',
      isBase64Encoded: true,
    });
    expect(exchange().toResult({ ...response, status: 799 }).statusDescription).toBe('799');
  });

  // A handler that was written for an API Gateway would lose its header here.
  test('of a handler has its header moved there', () => {
    const result = {
      statusCode: 201,
      statusDescription: '201 Charged',
      headers: { ETag: '"1"' },
      multiValueHeaders: { Link: ['<a>', '<b>'], 'Set-Cookie': ['a=1', 'b=2'] },
      body: 'x',
    };
    const common = { statusCode: 201, statusDescription: '201 Charged', body: 'x' };
    expect(exchange({ isMultiValue: true }).ownResult(result)).toEqual({
      ...common,
      multiValueHeaders: { ETag: ['"1"'], Link: ['<a>', '<b>'], 'Set-Cookie': ['a=1', 'b=2'] },
    });
    expect(exchange().ownResult(result)).toEqual({
      ...common,
      headers: { ETag: '"1"', Link: '<a>, <b>', 'Set-Cookie': 'b=2' },
    });
  });
});
