import { describe, expect, it } from 'vitest';
import { functionReply } from '../../lib/local/gateway/function-reply.ts';

const reply = (result: unknown) => {
  const { status, headers, body } = functionReply({ kind: 'returned', payload: JSON.stringify(result) ?? 'null' });
  return { status, headers, body: String(body) };
};
const JSON_TYPE = ['content-type', 'application/json'];

describe('what the gateway makes of a result', () => {
  it('answers status, headers, cookies and body of a response', () => {
    const headers = { 'X-One': 'a', 'Content-Type': 'text/html', 'X-Number': 5 };
    expect(reply({ statusCode: 201, headers, cookies: ['a=1', 'b=2'], body: '<p>' })).toEqual({
      status: 201,
      headers: [
        ['x-one', 'a'],
        ['content-type', 'text/html'],
        ['x-number', '5'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ],
      body: '<p>',
    });
  });

  it('decodes a base64 body', () => {
    expect(reply({ statusCode: 200, body: 'aGVsbG8=', isBase64Encoded: true }).body).toBe('hello');
  });

  it('takes a body without a type for plain text', () => {
    expect(reply({ statusCode: 200, body: 'x' }).headers).toEqual([['content-type', 'text/plain;charset=UTF-8']]);
    expect(reply({ statusCode: 204 }).headers).toEqual([]);
  });

  it.each([
    ['Hello', 'Hello'],
    [{ id: 1 }, '{"id":1}'],
    [[1, 2], '[1,2]'],
    [null, 'null'],
    [undefined, 'null'],
    [7, '7'],
  ])('answers the bare result %j with 200', (result, body) => {
    expect(reply(result)).toEqual({ status: 200, headers: [JSON_TYPE], body });
  });

  it('writes the connection itself', () => {
    const headers = { 'Content-Length': '999', Connection: 'close', 'Transfer-Encoding': 'chunked' };
    expect(reply({ statusCode: 204, headers }).headers).toEqual([]);
  });

  it.each([
    { statusCode: 'created' },
    { statusCode: 99 },
    { statusCode: 600 },
    { statusCode: 200.5 },
    { statusCode: null },
    { statusCode: 200, body: { an: 'object' } },
    { statusCode: 200, body: 5 },
    { statusCode: 200, headers: 'none' },
    { statusCode: 200, headers: { 'bad name': 'x' } },
    { statusCode: 200, headers: { 'x-split': 'a\r\nset-cookie: b' } },
    { statusCode: 200, cookies: 'a=1' },
  ])('answers the malformed %j with 500', (result) => {
    expect(reply(result)).toEqual({ status: 500, headers: [JSON_TYPE], body: '{"message":"Internal Server Error"}' });
  });

  it.each([
    { kind: 'threw', payload: '{}' },
    { kind: 'timed-out', afterMs: 3000 },
    { kind: 'exited', reason: 'SIGKILL' },
    { kind: 'init-failed', reason: '{}' },
    { kind: 'response-too-large' },
  ] as const)('answers a failed invocation ($kind) with 500', (outcome) => {
    expect(functionReply(outcome)).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' });
  });

  it('answers 503 when no environment became free', () => {
    expect(functionReply({ kind: 'throttled' })).toMatchObject({
      status: 503,
      body: '{"message":"Service Unavailable"}',
    });
  });
});
