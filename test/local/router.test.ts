import { describe, expect, it } from 'vitest';
import { createRouter } from '../../lib/local/gateway/router.ts';

const route = createRouter(
  [
    'GET /{proxy+}',
    'GET /items/{id}',
    'GET /items/fixed',
    'ANY /items/{id}',
    'GET /items/{id}/parts/{part}',
    'GET /files/{path+}',
    'POST /payments',
    'GET /',
  ].map((routeKey) => ({
    routeKey,
    functionId: 'f',
    authorizerId: undefined,
    scopes: [],
    integrationTimeoutMs: 30_000,
  })),
);

describe('the router', () => {
  it.each([
    ['GET', '/', 'GET /', {}],
    ['GET', '/items/fixed', 'GET /items/fixed', {}],
    ['GET', '/items/7', 'GET /items/{id}', { id: '7' }],
    ['DELETE', '/items/7', 'ANY /items/{id}', { id: '7' }],
    ['GET', '/items/7/parts/8', 'GET /items/{id}/parts/{part}', { id: '7', part: '8' }],
    ['GET', '/files/a', 'GET /files/{path+}', { path: 'a' }],
    ['GET', '/files/a/b//c', 'GET /files/{path+}', { path: 'a/b//c' }],
    ['GET', '/files//a', 'GET /files/{path+}', { path: '/a' }],
    ['GET', '/items/7/', 'GET /{proxy+}', { proxy: 'items/7/' }],
    ['GET', '/items/', 'GET /{proxy+}', { proxy: 'items/' }],
    ['POST', '/payments', 'POST /payments', {}],
  ])('%s %s goes to %s', (method, path, routeKey, pathParameters) => {
    expect(route(method, path)).toMatchObject({ route: { routeKey }, pathParameters });
  });

  it.each([
    ['POST', '/payments/'],
    ['PUT', '/payments'],
    ['POST', '/nothing'],
    ['POST', '//payments'],
  ])('%s %s goes nowhere', (method, path) => {
    expect(route(method, path)).toBeUndefined();
  });

  it('falls back to $default when there is one', () => {
    const fallback = { functionId: 'f', authorizerId: undefined, scopes: [], integrationTimeoutMs: 1 };
    const withDefault = createRouter([{ ...fallback, routeKey: '$default' }]);
    expect(withDefault('PATCH', '/x')?.route.routeKey).toBe('$default');
  });
});
