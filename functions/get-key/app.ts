import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { fromEvent, jwtPrincipal, toResult } from '../../lib/http/api-gateway-v2.ts';
import { jsonResponse } from '../../lib/http/json-response.ts';
import type { HttpResponse } from '../../lib/http/message.ts';
import { StoreUnavailableError } from '../../lib/idempotency/errors.ts';
import { checkKey } from '../../lib/idempotency/key.ts';
import { type KeyStatus, keyStatus } from '../../lib/idempotency/key-status.ts';
import { PROBLEMS, type Problem, problemResponse } from '../../lib/idempotency/problems.ts';
import { claimAddress, type Principal, scopeOf } from '../../lib/idempotency/scope.ts';
import type { Store } from '../../lib/idempotency/store.ts';
import type { Ambient } from '../../lib/idempotency/time.ts';
import { problemErrors } from '../../lib/middy/problem-errors.ts';
import { PAYMENT_PROBLEMS } from '../../lib/payments/problems.ts';

export interface Dependencies {
  readonly store: Pick<Store, 'read'>;
  readonly ambient: Pick<Ambient, 'now'>;
  readonly docsBase: string;
  readonly tenantClaim?: string | undefined;
  readonly onUnexpected?: (error: unknown) => void;
}

/** `GET /idempotency-keys/{key}`: what has become of the caller's own key. */
export function createHandler({ store, ambient, docsBase, tenantClaim, onUnexpected = () => {} }: Dependencies) {
  const principalOf = jwtPrincipal(tenantClaim);
  const stateOf = async (principal: Principal, key: string): Promise<HttpResponse | Problem> => {
    const reading = checkKey(key);
    if (reading.kind !== 'key') return notFound();
    const found = await store.read(claimAddress(principal, reading.key));
    return describe(keyStatus(found, scopeOf(principal), ambient.now()));
  };
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
    .use(problemErrors({ docsBase, onUnexpected }))
    .handler(async (event) => {
      const { principal, instance } = fromEvent(event, principalOf);
      // An HTTP API has decoded the parameter already; decoding it again would turn a key's own "%2F" into "/".
      // It is read as it came, because a key may end with a slash, and as an identity a path may not.
      const key = event.pathParameters?.['key'] ?? '';
      const state = principal === undefined ? unauthenticated() : await stateOf(principal, key);
      return toResult('type' in state ? problemResponse(state, { docsBase, instance }) : state);
    });
}

const notFound = (): Problem => ({
  type: PAYMENT_PROBLEMS.keyNotFound,
  detail: 'No request of yours has used this key.',
});

const unauthenticated = (): Problem => ({
  type: PROBLEMS.principalMissing,
  detail: 'The authorizer verified no caller for this request.',
});

function describe(status: KeyStatus): HttpResponse | Problem {
  switch (status.state) {
    case 'unknown':
      return notFound();
    case 'unreadable':
      throw new StoreUnavailableError('The claim is of a newer schema version than this code knows.');
    case 'in-progress': {
      const retryAfter = String(Math.ceil(status.retryAfterMs / 1000));
      return jsonResponse(200, { state: status.state }, { 'retry-after': retryAfter });
    }
    case 'pending':
    case 'under-review':
      return jsonResponse(200, { state: status.state });
    case 'completed': {
      const { response, expiresAt, settledBy } = status.claim;
      const { location } = response.headers;
      const expires = new Date(expiresAt * 1000).toISOString();
      return jsonResponse(200, {
        state: status.state,
        status: response.status,
        location,
        expiresAt: expires,
        settledBy,
      });
    }
  }
}
