import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { toResult } from '../http/api-gateway-v2.ts';
import { storeUnavailable } from '../idempotency/answers.ts';
import { StoreUnavailableError } from '../idempotency/errors.ts';
import { PROBLEMS, problemResponse } from '../idempotency/problems.ts';

/** Turns whatever a handler or a middleware threw into a problem document; put it first. */
export const problemErrors = (options: {
  readonly docsBase: string;
  readonly onUnexpected: (error: unknown) => void;
}): MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2> => ({
  onError(request) {
    const { docsBase, onUnexpected } = options;
    onUnexpected(request.error);
    if (request.response !== undefined) return;
    const isStoreDown = request.error instanceof StoreUnavailableError;
    const detail = 'The request failed unexpectedly. Send the same request with the same key again.';
    const problem = isStoreDown ? storeUnavailable() : { type: PROBLEMS.internalError, detail };
    const instance = `#${encodeURIComponent(request.event.requestContext.requestId)}`;
    request.response = toResult(problemResponse(problem, { docsBase, instance }));
  },
});
