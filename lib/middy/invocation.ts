import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Answer } from '../idempotency/answers.ts';
import type { GatedOperation } from '../idempotency/gated-operation.ts';
import type { JsonObject } from '../idempotency/json.ts';
import type { On5xx, UngatedOperation } from '../idempotency/ungated-operation.ts';

type Result = APIGatewayProxyStructuredResultV2;

/** What the middleware does when the handler has returned, and when something threw; `undefined` leaves it as it is. */
export interface Invocation {
  returned(result: unknown): Promise<Result | undefined>;
  threw(error: unknown): Promise<Result | undefined>;
}

/** Middy's early time-out: the handler is still running. */
export const isEarlyTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

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

/** An invocation of a plain handler. */
export const ungatedInvocation = (
  operation: UngatedOperation,
  on5xx: On5xx,
  codec: {
    readonly read: (result: unknown) => Parameters<UngatedOperation['complete']>[0];
    readonly render: (answer: Answer) => Result;
  },
  results: { readonly failed: Result; readonly pending: Result },
): Invocation => {
  let isComplete = false;
  const complete = async (result: unknown): Promise<Answer> => {
    const answer = await operation.complete(codec.read(result));
    isComplete = true;
    return answer;
  };
  return {
    async returned(result) {
      const answer = await complete(result);
      return answer.kind === 'final' ? undefined : codec.render(answer);
    },
    async threw(error) {
      if (isComplete) return undefined;
      if (isEarlyTimeout(error)) return results.pending;
      if (on5xx === 'store') return codec.render(await complete(results.failed));
      await operation.release();
      return undefined;
    },
  };
};

/** The invocation's own context with the operation added; never the shared object, which may serve another request. */
export const withOperation = <T>(context: Context, operation: T): Context & { operation: T } =>
  Object.assign(Object.create(context) as Context, { operation });
