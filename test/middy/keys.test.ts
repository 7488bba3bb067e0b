import { describe, expect, test } from 'vitest';
import { MisuseError } from '../../lib/idempotency/errors.ts';
import { apiEvent, type EventParts, invoke, lambdaContext, replyOf } from '../support/events.ts';
import { fakeEffect } from '../support/fake-effect.ts';
import { type ServiceOptions, service } from '../support/service.ts';

const BODY = { body: '{"a":1}' };
const IGNORED = 'idempotency-key-ignored';

describe('the header of a key', () => {
  test('may have another name, as with other providers, and then the usual one is none', async () => {
    const s = service({ header: 'PayPal-Request-Id' });
    const refused = await invoke(s.handler, { ...BODY, key: 'k' });
    expect([refused.status, refused.json['detail']]).toEqual([
      400,
      expect.stringContaining('Send an PayPal-Request-Id'),
    ]);
    const send = (value: string) => invoke(s.handler, { ...BODY, headers: { 'paypal-request-id': value } });
    expect((await send('k')).status).toBe(201);
    expect((await send('k')).headers['idempotency-replayed']).toBe('true');
    expect((await send('')).json['detail']).toContain('The PayPal-Request-Id header cannot be used: it is empty');
  });

  test('may have to be long, because short keys are guessed', async () => {
    const s = service({ minLength: 16 });
    const refused = await invoke(s.handler, { ...BODY, key: 'a'.repeat(15) });
    expect([refused.status, refused.json['code']]).toEqual([400, 'idempotency-key-invalid']);
    expect(refused.json['detail']).toContain('it has 15 characters, and at least 16 are needed: make it at random');
    expect((await invoke(s.handler, { ...BODY, key: `"${'a'.repeat(14)}"` })).status).toBe(400);
    expect((await invoke(s.handler, { ...BODY, key: 'a'.repeat(16) })).status).toBe(201);
    expect([s.runs(), s.store.calls.length > 0]).toEqual([1, true]);
  });
});

describe('a key may be left out', () => {
  const BY_ROUTE = { 'POST /payments': true, 'POST /notes': false };

  // D1
  test.each<[string, ServiceOptions['required'], string, number]>([
    ['nowhere, when it is required', true, '/notes', 400],
    ['everywhere, when it is not', false, '/notes', 201],
    ['on a route that does not need it', BY_ROUTE, '/notes', 201],
    ['but not on one that does', BY_ROUTE, '/payments', 400],
    ['and not on one that nobody has thought of', BY_ROUTE, '/refunds', 400],
    ['nor on one that is called like a member of every object', BY_ROUTE, '/toString', 400],
    ['where a decision says so', ({ path }) => path !== '/notes', '/notes', 201],
    ['but not where it says otherwise', ({ path }) => path !== '/notes', '/payments', 400],
  ])('%s', async (_, required, path, status) => {
    const s = service({ ...(required !== undefined && { required }) });
    expect((await invoke(s.handler, { ...BODY, path })).status).toBe(status);
    expect((await invoke(s.handler, { ...BODY, path, routeKey: '$default' })).status).toBe(status);
    expect(s.store.calls).toEqual([]);
  });
});

describe('a key that is not looked at', () => {
  // D6
  test.each<[string, ServiceOptions, EventParts]>([
    ['on a safe method', {}, { method: 'GET' }],
    ['on a method that is not opted in', {}, { method: 'PUT' }],
    ['on a route that does not honour keys', { routes: ['POST /payments'] }, { path: '/search' }],
    [
      'on such a route behind no route of its own',
      { routes: ['POST /payments'] },
      { path: '/search', routeKey: '$default' },
    ],
  ])('is said to be ignored: %s', async (_, options, parts) => {
    const s = service(options);
    const send = (key?: string) => invoke(s.handler, { ...BODY, ...parts, ...(key !== undefined && { key }) });
    const [with_, without] = [await send('k'), await send()];
    expect([with_.status, with_.headers[IGNORED], with_.body]).toEqual([201, 'true', '{"run":1}']);
    expect([without.status, without.headers[IGNORED], without.body]).toEqual([201, undefined, '{"run":2}']);
    expect(s.store.calls).toEqual([]);
  });

  test('leaves an answer without a key as the handler made it, marks and all', async () => {
    const result = { statusCode: 200, headers: { [IGNORED]: 'true', Other: '1' }, multiValueHeaders: {} };
    const s = service({}, async () => result);
    expect(await s.handler(apiEvent({ method: 'GET' }), lambdaContext())).toBe(result);
  });

  test('is looked at where the route honours it', async () => {
    const s = service({ routes: ['POST /payments/{id}'] });
    const parts = { ...BODY, routeKey: 'ANY /payments/{id}', parameters: { id: '1' }, key: 'k' };
    const [first, again] = [await invoke(s.handler, parts), await invoke(s.handler, parts)];
    expect([first.headers[IGNORED], again.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
  });
});

// E7
test('a handler that decides against its effect cannot pass its answer off as a replay', async () => {
  const s = service({ effect: fakeEffect({}) }, async () => ({
    statusCode: 404,
    headers: { 'Idempotency-Replayed': 'true', 'X-A': '1' },
  }));
  const reply = replyOf((await s.handler(apiEvent({ ...BODY, key: 'k' }), lambdaContext())) as never);
  expect([reply.status, reply.headers]).toEqual([404, { 'X-A': '1' }]);
});

describe('options that cannot be meant', () => {
  test.each<[string, ServiceOptions, string]>([
    ['a header that is no name', { header: 'Idempotency Key' }, 'cannot be a header’s name'.replace('’', "'")],
    ['a header without a name', { header: '' }, 'header: ""'],
    ['a safe method', { methods: ['POST', 'get'] }, 'methods: GET is safe'],
    ['no length', { minLength: 0 }, 'minLength: 0'],
    ['half a character', { minLength: 1.5 }, 'minLength: 1.5'],
    ['more than a key may have', { minLength: 256 }, 'whole number from 1 to 255'],
    ['no field to compare', { fingerprint: { include: [] } }, 'including no field'],
    ['a field that is no pointer', { fingerprint: { exclude: ['amount'] } }, '"amount" is no JSON Pointer'],
    ['credentials for every origin', { cors: { origins: '*', credentials: true } }, 'List the origins'],
  ])('are refused at start-up: %s', (_, options, cure) => {
    expect(() => service(options)).toThrow(MisuseError);
    expect(() => service(options)).toThrow(cure);
  });
});
