import type { APIGatewayProxyEvent } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { doorOf, exchangeOf } from '../../lib/http/exchange.ts';
import { verifiedPrincipal } from '../../lib/http/principal.ts';
import { MisuseError } from '../../lib/idempotency/errors.ts';
import { compare, fingerprintOf } from '../../lib/idempotency/fingerprint.ts';
import { apiEvent } from '../support/events.ts';
import { balancerEvent, restEvent, urlEvent } from './events.ts';

const exchange = (event: unknown) => exchangeOf(event, { principal: verifiedPrincipal() });
const fingerprint = (event: unknown) => fingerprintOf(exchange(event).request);

describe('an event', () => {
  test('is recognised by what it has', () => {
    const httpApiV1 = { ...restEvent(), version: '1.0' };
    const events = [
      restEvent(),
      httpApiV1,
      apiEvent(),
      urlEvent(),
      balancerEvent(),
      balancerEvent({ isMultiValue: true }),
    ];
    expect(events.map((event) => exchange(event).format)).toEqual(['v1', 'v1', 'v2', 'v2', 'alb', 'alb-multi']);
  });

  test.each<[string, unknown, string]>([
    ['records of a queue', { Records: [{ eventSource: 'aws:sqs' }] }, 'records of aws:sqs'],
    ['records of a topic', { Records: [{ EventSource: 'aws:sns' }] }, 'records of aws:sns'],
    ['records of nobody', { Records: [{}] }, 'records of undefined'],
    ['no records', { Records: [] }, 'an event with the members Records'],
    ['a WebSocket’s message', { requestContext: { connectionId: 'c' } }, 'an event of a WebSocket API'],
    ['a schedule’s event', { version: '0', source: 'aws.events' }, 'members version, source and the version "0"'],
    ['a request without a resource', { httpMethod: 'POST', requestContext: {} }, 'members httpMethod, requestContext'],
    ['nothing', {}, 'members (none)'],
    ['null', null, 'null, which is no event at all'],
    ['undefined', undefined, 'undefined, which is no event at all'],
    ['text', 'POST', 'string, which is no event at all'],
  ])('that is no request (%s) is refused with what it is and what is known', (_, event, received) => {
    expect(() => exchange(event)).toThrow(MisuseError);
    expect(() => exchange(event)).toThrow(received);
    expect(() => exchange(event)).toThrow(
      'REST APIs and HTTP APIs (payload formats 1.0 and 2.0), Lambda function URLs',
    );
    expect(doorOf(event)).toBeUndefined();
  });

  test('that is no request is never taken for one, whatever it holds', () => {
    fc.assert(
      fc.property(fc.anything(), (event) => {
        expect(() => exchange(event)).toThrow(MisuseError);
      }),
      { numRuns: 300 },
    );
  });

  test('that cannot be read any more can still be answered', () => {
    const event = Object.assign(restEvent({ headers: { Origin: ['https://a.example'] } }), { body: { parsed: true } });
    const door = doorOf(event);
    expect([door?.requestId, door?.header('origin')]).toEqual(['request-1', ['https://a.example']]);
  });
});

describe('one request', () => {
  const body = '{"amount":1}';
  const routed = { method: 'POST', path: '/payments/7/refunds', parameters: { id: '7' }, body };

  // C11
  test('to one route has one identity in formats 1.0 and 2.0', () => {
    const v1 = restEvent({
      ...routed,
      resource: '/payments/{id}/refunds',
      query: { b: ['2', 'ü x'], a: ['1'] },
      headers: { 'Content-Type': ['application/json; charset=utf-8'] },
    });
    const v2 = (routeKey: string) => apiEvent({ ...routed, routeKey, query: 'a=1&b=2&b=%C3%BC+x' });
    expect(fingerprint(v2('POST /payments/{id}/refunds'))).toBe(fingerprint(v1));
    expect(fingerprint(v2('ANY /payments/{id}/refunds'))).toBe(fingerprint(v1));
  });

  test('that no route of its own matches has one identity everywhere', () => {
    const path = '/payments/7';
    const events = [
      apiEvent({ path, body, routeKey: '$default', query: 'a=1' }),
      apiEvent({ path, body, routeKey: 'ANY /{proxy+}', parameters: { proxy: 'payments/7' }, query: 'a=1' }),
      urlEvent({ path: `${path}/`, body, query: 'a=%31' }),
      balancerEvent({ path, body, query: { a: ['1'] } }),
      balancerEvent({ path, body, query: { a: ['%31'] }, isMultiValue: true }),
      restEvent({ path, body, resource: '/{proxy+}', parameters: { proxy: 'payments/7' }, query: { a: ['1'] } }),
    ];
    expect(new Set(events.map(fingerprint)).size).toBe(1);
  });

  test('of an HTTP API has the identity of a REST API’s in its format 1.0 too', () => {
    const event: APIGatewayProxyEvent = { ...restEvent({ body }), path: '/stage/payments' };
    expect(fingerprint({ ...event, version: '1.0' })).toBe(fingerprint(restEvent({ body })));
  });

  // An HTTP API decodes paths, the others do not: `%2F` and `/` must not become one, so this request is two.
  test('with percent-encoding in its path may have two identities, and never shares one with another', () => {
    const encoded = urlEvent({ path: '/a%2Fb', body });
    expect(fingerprint(encoded)).toBe(fingerprint(balancerEvent({ path: '/a%2Fb', body })));
    expect(fingerprint(encoded)).not.toBe(fingerprint(urlEvent({ path: '/a/b', body })));
  });

  test.each([
    ['ANY /payments', {}],
    ['ANY /{proxy+}', { proxy: 'payments' }],
    ['POST /files/{name+}', { name: 'a/' }],
  ])('still matches a claim that was made when routes were named as they came (%s)', (routeKey, parameters) => {
    const { request } = exchange(apiEvent({ body, routeKey, parameters }));
    const former = fingerprintOf({ ...request, route: routeKey, parameters });
    expect(former).not.toBe(fingerprintOf(request));
    expect(compare(former, request)).toBe('same');
    expect(compare(former, { ...request, method: 'PATCH' })).toBe('another');
  });
});
