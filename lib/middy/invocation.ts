import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { On5xx } from '../idempotency/answer-policy.ts';
import type { Answer } from '../idempotency/answers.ts';
import type { Budget } from '../idempotency/budget.ts';
import type { StoredResponse } from '../idempotency/claim.ts';
import type { GatedOperation } from '../idempotency/gated-operation.ts';
import type { JsonObject } from '../idempotency/json.ts';
import type { UngatedOperation } from '../idempotency/ungated-operation.ts';

type Result = APIGatewayProxyStructuredResultV2;

/** What the middleware does when the handler has returned, and when something threw; `undefined` leaves it as it is. */
export interface Invocation {
  returned(result: unknown): Promise<Result | undefined>;
  threw(error: unknown): Promise<Result | undefined>;
}

/** Middy's own early time-out: the handler is still running. A handler's own time-out has the same name. */
const isEarlyTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'TimeoutError' &&
  (error.cause as { readonly package?: unknown } | undefined)?.package === '@middy/core';

/**
 * Middy's `timeoutEarlyResponse` may be replaced by an answer or an error that nobody can tell from the handler's own.
 * A failure this close to the function's end may be one: the handler may still run, so the key is not freed.
 */
const EARLY_TIMEOUT_MS_MAX = 1_000;

/** An invocation whose effect goes through `operation.perform`. */
export const gatedInvocation = <C extends JsonObject>(
  operation: GatedOperation<C>,
  render: (answer: Answer) => Result,
  pending: Result,
): Invocation => ({
  async returned() {
    if (operation.answering !== undefined) return render(await operation.answering);
    // The handler decided against the effect: its answer stands, and the key is free.
    await operation.release();
    return undefined;
  },
  async threw(error) {
    if (operation.answer !== undefined) return render(operation.answer);
    await operation.abandon(String(error));
    return operation.answering === undefined && !isEarlyTimeout(error) ? undefined : pending;
  },
});

/** What an invocation of a plain handler works with. */
export interface UngatedInvocationParts {
  readonly operation: UngatedOperation;
  readonly on5xx: On5xx;
  readonly budget: Budget;
  readonly read: (result: unknown) => StoredResponse;
  readonly render: (answer: Answer) => Result;
  /** The handler's own result as it leaves. */
  readonly own: (result: unknown) => Result;
  readonly failed: Result;
  readonly pending: Result;
}

/** An invocation of a plain handler. */
export function ungatedInvocation(parts: UngatedInvocationParts): Invocation {
  const { operation, on5xx, budget, read, render, own, failed, pending } = parts;
  const isLate = (): boolean => budget.remainingMs() <= EARLY_TIMEOUT_MS_MAX;
  let completed: Result | undefined;
  const complete = async (result: unknown): Promise<Result> => {
    const answer = await operation.complete(read(result));
    completed = answer.kind === 'final' ? own(result) : render(answer);
    return completed;
  };
  return {
    async returned(result) {
      if (isLate() && read(result).status >= 500) return pending;
      return complete(result);
    },
    async threw(error) {
      // The answer is durable, so it leaves, whatever failed behind it.
      if (completed !== undefined) return completed;
      if (isEarlyTimeout(error) || isLate()) return pending;
      if (on5xx === 'store') return complete(failed);
      await operation.release();
      return undefined;
    },
  };
}

/** The invocation's own context with the operation added; never the shared object, which may serve another request. */
export const withOperation = <T>(context: Context, operation: T): Context & { operation: T } =>
  Object.assign(Object.create(context) as Context, { operation });
