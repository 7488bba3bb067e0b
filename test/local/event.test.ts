import { describe, expect, it } from 'vitest';
import { buildEvent, type GatewayRequest } from '../../lib/local/gateway/event.ts';

const CONTEXT = {
  requestId: 'request-1',
  receivedAt: new Date('2020-03-12T19:03:58.390Z'),
  match: {
    route: {
      routeKey: 'POST /payments',
      functionId: 'f',
      authorizerId: undefined,
      scopes: [],
      integrationTimeoutMs: 1,
    },
    pathParameters: {},
  },
  authorized: undefined,
};

function event(request: Partial<GatewayRequest>, context: Partial<typeof CONTEXT> = {}) {
  const whole: GatewayRequest = {
    method: 'POST',
    path: '/payments',
    query: undefined,
    rawHeaders: [],
    body: Buffer.alloc(0),
    sourceIp: '127.0.0.1',
    protocol: 'HTTP/1.1',
    ...request,
  };
  return buildEvent(whole, { ...CONTEXT, ...context });
}

const withType = (type: string, body: string | Buffer) =>
  event({ rawHeaders: ['Content-Type', type], body: Buffer.from(body as string) });

describe('the event of payload format 2.0', () => {
  it('tells the request and its time in both forms', () => {
    expect(event({ rawHeaders: ['Host', 'localhost:3000', 'User-Agent', 'curl'] })).toMatchObject({
      version: '2.0',
      routeKey: 'POST /payments',
      rawPath: '/payments',
      rawQueryString: '',
      isBase64Encoded: false,
      requestContext: {
        domainName: 'localhost:3000',
        http: { method: 'POST', path: '/payments', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'curl' },
        requestId: 'request-1',
        routeKey: 'POST /payments',
        stage: '$default',
        time: '12/Mar/2020:19:03:58 +0000',
        timeEpoch: 1584039838390,
      },
    });
  });

  it('leaves out what the request does not have', () => {
    const bare = event({});
    for (const absent of ['body', 'cookies', 'queryStringParameters', 'pathParameters']) {
      expect(bare).not.toHaveProperty(absent);
    }
    expect(bare.requestContext).not.toHaveProperty('authorizer');
  });

  it('lower-cases header names and joins repeated ones in their order', () => {
    const { headers } = event({ rawHeaders: ['Idempotency-Key', 'a', 'X-Other', '1', 'IDEMPOTENCY-KEY', 'b'] });
    expect(headers).toMatchObject({ 'idempotency-key': 'a,b', 'x-other': '1' });
  });

  it('takes a header called __proto__ for a header', () => {
    expect(Object.keys(event({ rawHeaders: ['__Proto__', 'a'] }).headers)).toContain('__proto__');
  });

  it('moves cookies out of the headers', () => {
    const { cookies, headers } = event({ rawHeaders: ['Cookie', 'a=1; b=2', 'cookie', 'c=3'] });
    expect(cookies).toEqual(['a=1', 'b=2', 'c=3']);
    expect(headers).not.toHaveProperty('cookie');
  });

  it('keeps connection headers to itself and tells the length of a chunked body', () => {
    const { headers } = event({
      rawHeaders: ['Connection', 'keep-alive', 'Transfer-Encoding', 'chunked'],
      body: Buffer.from('äb'),
    });
    expect(headers).not.toHaveProperty('connection');
    expect(headers).not.toHaveProperty('transfer-encoding');
    expect(headers['content-length']).toBe('3');
  });

  it('adds the sender to X-Forwarded-For', () => {
    expect(event({ rawHeaders: ['X-Forwarded-For', '10.0.0.1'] }).headers['x-forwarded-for']).toBe(
      '10.0.0.1, 127.0.0.1',
    );
  });

  it.each([
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2&a=', { a: '1,2,' }],
    ['a', { a: '' }],
    ['a=%2C%20x+y', { a: ', x y' }],
    ['a=%zz', { a: '%zz' }],
    ['=x', { '': 'x' }],
  ])('reads the query %s', (query, parameters) => {
    expect(event({ query })).toMatchObject({ rawQueryString: query, queryStringParameters: parameters });
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'TEXT/plain', 'application/problem+json'])(
    'hands a body of type %s on as text',
    (type) => {
      expect(withType(type, '{"a":"ä"}')).toMatchObject({ body: '{"a":"ä"}', isBase64Encoded: false });
    },
  );

  it.each([
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'image/svg+xml',
    'multipart/form-data; boundary=x',
  ])('hands a body of type %s on as base64', (type) => {
    expect(withType(type, 'a=1')).toMatchObject({ body: 'YT0x', isBase64Encoded: true });
  });

  it('hands a body without a type on as base64', () => {
    expect(event({ body: Buffer.from('a=1') })).toMatchObject({ body: 'YT0x', isBase64Encoded: true });
  });

  it('loses no byte of a body that claims to be text and is none', () => {
    const bytes = Buffer.from([0x1f, 0x8b, 0xff, 0x00]);
    expect(withType('application/json', bytes)).toMatchObject({
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    });
  });

  it('keeps a byte order mark', () => {
    expect(withType('application/json', '\ufeff{}').body).toBe('\ufeff{}');
  });

  it('tells claims and scopes of the caller', () => {
    const authorized = { claims: { sub: 'alice' }, scopes: ['a'] };
    expect(event({}, { authorized: authorized as never }).requestContext).toMatchObject({
      authorizer: { jwt: authorized },
    });
  });
});
