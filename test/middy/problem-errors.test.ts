import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../lib/idempotency/errors.ts';
import { problemErrors } from '../../lib/middy/problem-errors.ts';
import { invoke } from '../support/events.ts';
import { DOCS } from '../support/service.ts';

function failing(error: unknown) {
  const seen: unknown[] = [];
  const handler = middy<APIGatewayProxyEventV2>()
    .use(problemErrors({ docsBase: DOCS, onUnexpected: (unexpected) => seen.push(unexpected) }))
    .handler(() => {
      throw error;
    });
  return { handler, seen };
}

test('an unexpected error becomes a problem that names the request and nothing of the error', async () => {
  const { handler, seen } = failing(new Error('password=hunter2'));
  const reply = await invoke(handler, {});
  expect(reply.json).toMatchObject({ status: 500, code: 'internal-error', retry: 'same-key', instance: '#request-1' });
  expect(reply.body).not.toContain('hunter2');
  expect(String(seen[0])).toContain('hunter2');
});

test('a store that is down becomes a 503 that asks for the same key', async () => {
  const reply = await invoke(failing(new StoreUnavailableError('down')).handler, {});
  expect([reply.status, reply.json['code'], reply.headers['retry-after']]).toEqual([503, 'store-unavailable', '2']);
});

test('an error that another middleware has answered keeps that answer, and is reported all the same', async () => {
  const { handler, seen } = failing(new Error('x'));
  handler.onError((request) => {
    request.response = { statusCode: 418 };
  });
  expect((await invoke(handler, {})).status).toBe(418);
  expect(seen).toMatchObject([{ message: 'x' }]);
});
