import type { MiddlewareObj, Request } from '@middy/core';
import type { Context } from 'aws-lambda';
import { exchangeOf } from '../http/exchange.ts';
import type { HttpRequest } from '../http/message.ts';
import { verifiedPrincipal } from '../http/principal.ts';
import { fromResult, type HttpResult, type WrittenResult } from '../http/result.ts';
import { AnswerCache } from '../idempotency/answer-cache.ts';
import { outcomePending } from '../idempotency/answers.ts';
import { writeRules } from '../idempotency/body-fields.ts';
import type { Budget } from '../idempotency/budget.ts';
import type { ClaimedClaim, ExecutingClaim } from '../idempotency/claim.ts';
import type { Effect } from '../idempotency/effect.ts';
import { MisuseError } from '../idempotency/errors.ts';
import { fingerprintOf } from '../idempotency/fingerprint.ts';
import { GatedOperation } from '../idempotency/gated-operation.ts';
import type { JsonObject } from '../idempotency/json.ts';
import type { IdempotencyKey } from '../idempotency/key.ts';
import { type Policies, policiesOf } from '../idempotency/policies.ts';
import { PROBLEMS, type Problem } from '../idempotency/problems.ts';
import type { Protocol } from '../idempotency/protocol.ts';
import { claimAddress, type Principal, scopeOf } from '../idempotency/scope.ts';
import { type Ambient, after } from '../idempotency/time.ts';
import { UngatedOperation } from '../idempotency/ungated-operation.ts';
import { beginByStoredRules } from './begin-by-stored-rules.ts';
import { freshHeadersOf } from './fresh-headers.ts';
import { gatedInvocation, ungatedInvocation, withOperation } from './invocation.ts';
import { keyPolicyOf } from './key-policy.ts';
import type { IdempotencyOptions } from './options.ts';
import { Visit } from './visit.ts';

export type { IdempotencyOptions, OperationContext, PrincipalFinder } from './options.ts';

/** Used where there is no Lambda context, as in a test: the longest time that an HTTP API waits. */
const REMAINING_MS_DEFAULT = 29_000;

/**
 * Runs a handler at most once for one principal, one `Idempotency-Key` and one unchanged request, and gives every
 * retry the first answer, byte for byte, whichever front door either came through.
 *
 * Put whatever may refuse a request before it, and body parsers after it: the request's identity is fixed here.
 * Set Middy's `timeoutEarlyInMillis` explicitly, and leave its `timeoutEarlyResponse` alone: on an early time-out the
 * handler is still running, and its key stays claimed.
 *
 * @throws MisuseError at start-up for options that cannot be safe, and for events that are no requests.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function idempotency<C extends JsonObject = JsonObject>(
  options: IdempotencyOptions<C>,
): MiddlewareObj<unknown, HttpResult> {
  const { store, ambient, docsBase, effect, basePath, keyStatusPath, observe = () => {} } = options;
  const { principal = {}, fingerprint = {} } = options;
  const policies = policiesOf(options);
  const { retentionMs, mismatchStatus, waitMs, cacheBytes } = policies;
  const cache = cacheBytes > 0 && { cache: new AnswerCache(cacheBytes) };
  const protocol: Protocol = { store, ambient, retentionMs, observe, ...cache };
  const findPrincipal = typeof principal === 'function' ? principal : verifiedPrincipal(principal);
  const keys = keyPolicyOf(options);
  const fresh = freshHeadersOf(options, keys.header);
  writeRules(fingerprint); // Refuses rules that cannot be meant.
  const visits = new WeakMap<object, Visit>();

  const attemptOf = (http: HttpRequest, caller: Principal, key: IdempotencyKey, budget: Budget) => ({
    pk: claimAddress(caller, key),
    scope: scopeOf(caller),
    fingerprint: fingerprintOf(http, fingerprint),
    budget,
    ...(effect !== undefined && { effect }),
    mismatchStatus,
    waitMs,
    links: keyStatusPath === undefined ? [] : [`<${keyStatusPath(key)}>; rel="status"`],
  });

  return {
    async before(request) {
      refuseParsedBody(request.event);
      const exchange = exchangeOf(request.event, { principal: () => undefined, basePath });
      const http = exchange.request;
      const reading = keys.read(http);
      const isIgnored = reading.kind === 'not-honoured' && reading.wasSent;
      const visit = new Visit(exchange, fresh.of(http, isIgnored), docsBase);
      visits.set(request, visit);
      const preflight = fresh.preflight(http);
      if (preflight !== undefined) return visit.render({ kind: 'final', response: preflight });
      if (reading.kind === 'not-honoured') return undefined;
      // What was recognised is an event of a front door.
      const caller = await findPrincipal(request.event as Parameters<typeof findPrincipal>[0]);
      if (caller === undefined) return visit.renderProblem(principalMissing());
      if (reading.kind === 'refused') return visit.renderProblem(reading.problem);
      if (reading.kind === 'unprotected') return undefined;
      const budget = budgetOf(request.context, ambient);
      const begun = await beginByStoredRules(protocol, attemptOf(http, caller, reading.key, budget), http);
      if (begun.kind === 'answer') return visit.render(begun.answer);
      enter({ protocol, policies, effect, visit, budget }, begun.claim, request);
      return undefined;
    },
    async after(request) {
      const visit = visits.get(request) as Visit; // `before` has put it there.
      request.response = (await visit.invocation?.returned(request.response)) ?? visit.passing(request.response);
    },
    async onError(request) {
      const visit = visits.get(request);
      const result = await visit?.invocation?.threw(request.error);
      if (result !== undefined) request.response = result;
    },
  };
}

interface Entry<C extends JsonObject> {
  readonly protocol: Protocol;
  readonly policies: Policies;
  readonly effect: Effect<C> | undefined;
  readonly visit: Visit;
  readonly budget: Budget;
}

/** Lets the handler run, with its operation in the context. */
function enter<C extends JsonObject>(entry: Entry<C>, claim: ClaimedClaim | ExecutingClaim, request: Request): void {
  const { protocol, policies, effect, visit, budget } = entry;
  const { render, own } = visit;
  const pending = visit.renderProblem(outcomePending('own'));
  if (effect !== undefined && claim.status === 'claimed') {
    const operation = new GatedOperation(protocol, effect, claim, budget);
    const perform = async (command: C): Promise<WrittenResult> => render(await operation.perform(command));
    visit.invocation = gatedInvocation(operation, render, pending);
    request.context = withOperation(request.context, { id: operation.id, perform });
  } else {
    const operation = new UngatedOperation(protocol, claim as ExecutingClaim, policies);
    const detail = 'The handler failed, and this route keeps failures.';
    const failed = visit.renderProblem({ type: PROBLEMS.handlerFailed, detail });
    const { on5xx } = policies;
    visit.invocation = ungatedInvocation({ operation, on5xx, budget, read: fromResult, render, own, failed, pending });
    const perform = () => Promise.reject(new MisuseError('perform() needs the `effect` option of idempotency().'));
    request.context = withOperation(request.context, { id: claim.operation, perform });
  }
}

/** The event as it was sent; a parsed body has lost what the fingerprint needs. */
function refuseParsedBody(event: unknown): void {
  const body = (event as { readonly body?: unknown } | null | undefined)?.body;
  if (body === undefined || body === null || typeof body === 'string') return;
  throw new MisuseError('The body was parsed before idempotency() saw it. Put body parsers after idempotency().');
}

function budgetOf(context: Context, ambient: Ambient): Budget {
  if (typeof context.getRemainingTimeInMillis === 'function')
    return { remainingMs: () => context.getRemainingTimeInMillis() };
  const end = after(ambient.now(), REMAINING_MS_DEFAULT);
  return { remainingMs: () => end - ambient.now() };
}

const principalMissing = (): Problem => ({
  type: PROBLEMS.principalMissing,
  detail:
    'The authorizer verified no caller for this request. Put an authorizer on this route, check its claims, or give ' +
    'idempotency() a `principal` that finds the caller.',
});
