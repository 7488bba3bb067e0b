import type { MiddlewareObj } from '@middy/core';
import { doorOf } from '../http/exchange.ts';
import type { HttpResult } from '../http/result.ts';
import { storeUnavailable } from '../idempotency/answers.ts';
import { StoreUnavailableError } from '../idempotency/errors.ts';
import { KEY_HEADER } from '../idempotency/key.ts';
import { PROBLEMS, problemResponse } from '../idempotency/problems.ts';
import { type FreshHeadersOptions, freshHeadersOf } from './fresh-headers.ts';

export interface ProblemErrorsOptions extends FreshHeadersOptions {
  readonly docsBase: string;
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * Turns whatever a handler or a middleware threw into a problem document; put it first. An event that is no request has
 * nobody to read a document: its error stays one.
 */
export function problemErrors(options: ProblemErrorsOptions): MiddlewareObj<unknown, HttpResult> {
  const { docsBase, onUnexpected } = options;
  const fresh = freshHeadersOf(options, KEY_HEADER);
  return {
    onError(request) {
      onUnexpected(request.error);
      const door = doorOf(request.event);
      if (request.response !== undefined || door === undefined) return;
      const isStoreDown = request.error instanceof StoreUnavailableError;
      const detail = 'The request failed unexpectedly. Send the same request with the same key again.';
      const problem = isStoreDown ? storeUnavailable() : { type: PROBLEMS.internalError, detail };
      const instance = `#${encodeURIComponent(door.requestId)}`;
      request.response = door.toResult(problemResponse(problem, { docsBase, instance }), fresh.of(door, false));
    },
  };
}
