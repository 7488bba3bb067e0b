import type { Exchange } from '../http/exchange.ts';
import type { FreshHeaders } from '../http/message.ts';
import type { HttpResult, WrittenResult } from '../http/result.ts';
import type { Answer } from '../idempotency/answers.ts';
import { type Problem, problemResponse } from '../idempotency/problems.ts';
import type { Invocation } from './invocation.ts';

/** One request on its way through the middleware, and how it is answered. */
export class Visit {
  readonly #exchange: Exchange;
  readonly #fresh: FreshHeaders;
  readonly #docsBase: string;
  /** Set once the handler may run under a key. */
  invocation: Invocation | undefined;

  constructor(exchange: Exchange, fresh: FreshHeaders, docsBase: string) {
    this.#exchange = exchange;
    this.#fresh = fresh;
    this.#docsBase = docsBase;
  }

  readonly render = (answer: Answer): WrittenResult =>
    answer.kind === 'final'
      ? this.#exchange.toResult(answer.response, this.#fresh)
      : this.renderProblem(answer.problem);

  renderProblem(problem: Problem): WrittenResult {
    const { instance } = this.#exchange.request;
    return this.render({ kind: 'final', response: problemResponse(problem, { docsBase: this.#docsBase, instance }) });
  }

  /** What the handler itself returned, with what is said afresh. */
  readonly own = (result: unknown): HttpResult => this.#exchange.ownResult(result, this.#fresh);

  /** An answer of which nothing was stored: without a key it is not looked at unless something must be said with it. */
  passing(result: HttpResult | null | undefined): HttpResult | null | undefined {
    const isUntouched = this.invocation === undefined && Object.keys(this.#fresh).length === 0;
    return isUntouched ? result : this.own(result);
  }
}
