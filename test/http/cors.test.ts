import { describe, expect, test } from 'vitest';
import { type CorsOptions, corsOf } from '../../lib/http/cors.ts';
import { exchangeOf } from '../../lib/http/exchange.ts';
import { MisuseError } from '../../lib/idempotency/errors.ts';
import { balancerEvent } from './events.ts';

const SHOP = 'https://shop.example.com';
const request = (headers: Record<string, string[]>, method = 'POST') =>
  exchangeOf(balancerEvent({ method, headers }), { principal: () => undefined }).request;
const headers = (options: CorsOptions, origin: string) =>
  corsOf(options, 'Idempotency-Key').headers(request({ origin: [origin] }));

describe('a permission to read', () => {
  test('is given to the origins that are listed, and names what a client of keys reads', () => {
    expect(headers({ origins: [SHOP], exposeHeaders: ['X-Trace'] }, SHOP)).toEqual({
      'access-control-allow-origin': SHOP,
      'access-control-expose-headers':
        'Location, Retry-After, ETag, Link, idempotency-replayed, idempotency-key-ignored, X-Trace',
      vary: 'Origin',
    });
    expect(headers({ origins: [SHOP], credentials: true }, SHOP)).toMatchObject({
      'access-control-allow-credentials': 'true',
    });
  });

  test('is not given to others, whose answers still vary by origin', () => {
    expect(headers({ origins: [SHOP] }, 'https://shop.example.com.evil.example')).toEqual({ vary: 'Origin' });
    expect(corsOf({ origins: [SHOP] }, 'k').headers(request({}))).toEqual({ vary: 'Origin' });
  });

  test('may be given to all', () => {
    expect(headers({ origins: '*' }, SHOP)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.any(String),
    });
  });
});

describe('a permission to send', () => {
  const ask = (options: CorsOptions, method = 'OPTIONS', asked = ['POST']) =>
    corsOf(options, 'X-Key').preflight(
      request(asked.length > 0 ? { 'access-control-request-method': asked } : {}, method),
    );

  // D6
  test('is what a preflight asks for: the key’s header among others', () => {
    expect(ask({ origins: [SHOP] })).toEqual({
      status: 204,
      headers: {
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'X-Key, Content-Type, Authorization',
        'access-control-max-age': '600',
      },
      body: new Uint8Array(),
    });
    const options = { origins: [SHOP], allowMethods: ['POST'], allowHeaders: ['X-Trace'], maxAgeSeconds: 0 };
    expect(ask(options)?.headers).toEqual({
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'X-Key, Content-Type, Authorization, X-Trace',
      'access-control-max-age': '0',
    });
  });

  test('is not what any other request asks for', () => {
    expect([ask({ origins: '*' }, 'POST'), ask({ origins: '*' }, 'OPTIONS', [])]).toEqual([undefined, undefined]);
  });
});

describe('options that no browser would follow', () => {
  test.each<[string, CorsOptions, string]>([
    ['credentials for all', { origins: '*', credentials: true }, 'List the origins'],
    ['a path', { origins: [`${SHOP}/`] }, 'is no origin'],
    ['a host', { origins: ['shop.example.com'] }, 'is no origin'],
  ])('are refused at start-up: %s', (_, options, cure) => {
    expect(() => corsOf(options, 'k')).toThrow(MisuseError);
    expect(() => corsOf(options, 'k')).toThrow(cure);
  });

  test('do not include an app’s own scheme, or the origin of a file', () => {
    expect(() => corsOf({ origins: ['capacitor://localhost', 'null', 'http://localhost:3000'] }, 'k')).not.toThrow();
  });
});
