import middy from '@middy/core';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { JsonObject } from '../../lib/idempotency/json.ts';
import type { ProtocolEvent } from '../../lib/idempotency/protocol.ts';
import { type IdempotencyOptions, idempotency, type OperationContext } from '../../lib/middy/idempotency.ts';
import { problemErrors } from '../../lib/middy/problem-errors.ts';
import { memoryStore } from '../../lib/stores/memory.ts';
import { type FakeAmbient, fakeAmbient } from './fake-ambient.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';

export const DOCS = 'https://docs.example.com';

type Body = (event: APIGatewayProxyEventV2, context: OperationContext) => Promise<unknown>;

export interface ServiceOptions extends Partial<IdempotencyOptions<JsonObject>> {
  readonly store?: FaultyStore;
  readonly ambient?: FakeAmbient;
  /** Middy's own options. */
  readonly middy?: Parameters<typeof middy>[0];
}

/** A function behind the middleware, with everything that a test looks at. */
export function service(options: ServiceOptions = {}, body?: Body) {
  const { middy: plugin = {}, ambient = fakeAmbient(), ...rest } = options;
  const store = options.store ?? faultyStore(memoryStore({ now: ambient.now }));
  const events: ProtocolEvent[] = [];
  const errors: unknown[] = [];
  let runs = 0;
  const observe = (event: ProtocolEvent): void => {
    events.push(event);
  };
  const middleware = idempotency({ ambient, docsBase: DOCS, observe, ...rest, store });
  const handler = middy<APIGatewayProxyEventV2>(plugin)
    .use(problemErrors({ docsBase: DOCS, onUnexpected: (error) => errors.push(error) }))
    .use(middleware)
    .handler((event, context) => {
      runs += 1;
      // The middleware has put the operation there.
      return body === undefined ? Promise.resolve(created(runs)) : body(event, context as OperationContext);
    });
  return { handler, middleware, store, ambient, events, errors, runs: () => runs };
}

const created = (run: number) => ({
  statusCode: 201,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ run }),
});
