import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import {
  fromEvent,
  fromResult,
  jwtPrincipal,
  type PrincipalReader,
  toFirstResult,
  toResult,
} from '../http/api-gateway-v2.ts';
import type { HttpRequest } from '../http/message.ts';
import { type Answer, outcomePending } from '../idempotency/answers.ts';
import { begin } from '../idempotency/begin.ts';
import type { Budget } from '../idempotency/budget.ts';
import type { ClaimedClaim, ExecutingClaim } from '../idempotency/claim.ts';
import type { Effect } from '../idempotency/effect.ts';
import { MisuseError } from '../idempotency/errors.ts';
import { fingerprintOf } from '../idempotency/fingerprint.ts';
import { GatedOperation } from '../idempotency/gated-operation.ts';
import type { JsonObject } from '../idempotency/json.ts';
import { readKey } from '../idempotency/key.ts';
import { PROBLEMS, type Problem, problemResponse } from '../idempotency/problems.ts';
import { type Protocol, type ProtocolEvent, RETENTION_MS_DEFAULT } from '../idempotency/protocol.ts';
import { claimAddress, scopeOf } from '../idempotency/scope.ts';
import type { Store } from '../idempotency/store.ts';
import { type Ambient, after } from '../idempotency/time.ts';
import { type On5xx, UngatedOperation } from '../idempotency/ungated-operation.ts';
import { gatedInvocation, type Invocation, ungatedInvocation, withOperation } from './invocation.ts';

type Event = APIGatewayProxyEventV2;
type Result = APIGatewayProxyStructuredResultV2;

/** What the handler finds in its context. */
export interface OperationContext<C extends JsonObject = JsonObject> extends Context {
  readonly operation: {
    /** Id of this operation: stable over takeovers, new when the key is lawfully used again. */
    readonly id: string;
    /** The only way to the effect. Resolves to the answer, which is to be returned as it is. */
    perform(command: C): Promise<Result>;
  };
}

export interface IdempotencyOptions<C extends JsonObject> {
  readonly store: Store;
  readonly ambient: Ambient;
  /** Absolute URL that serves `/problems/{code}`; no trailing slash. */
  readonly docsBase: string;
  /** The external effect. Without one, the handler itself is what runs at most once. */
  readonly effect?: Effect<C>;
  /** @default the `sub` of the JWT that API Gateway verified */
  readonly principal?: PrincipalReader;
  /** Methods whose keys are honoured. @default POST and PATCH */
  readonly methods?: readonly string[];
  /** Whether a request without a key is refused. @default true */
  readonly required?: boolean;
  /** How long a settled key is remembered. @default 24 hours */
  readonly retentionMs?: number;
  /** What becomes of the key of a plain handler that fails with 5xx or throws. @default 'release' */
  readonly on5xx?: On5xx;
  /** Status for a key that comes back with another request. @default 422 */
  readonly mismatchStatus?: 409 | 422;
  /** Path that tells the state of a key, for `Link` headers. @default none */
  readonly keyStatusPath?: (key: string) => string;
  /** For logs and metrics; must not throw. @default nothing */
  readonly observe?: (event: ProtocolEvent) => void;
}

/** Used where there is no Lambda context, as in a test: the longest time that an HTTP API waits. */
const REMAINING_MS_DEFAULT = 29_000;

/**
 * Runs a handler at most once for one principal, one `Idempotency-Key` and one unchanged request, and gives every
 * retry the first answer, byte for byte.
 *
 * Put whatever may refuse a request before it, and body parsers after it: the request's identity is fixed here.
 * Set Middy's `timeoutEarlyInMillis` explicitly, and leave its `timeoutEarlyResponse` alone: on an early time-out the
 * handler is still running, and its key stays claimed.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function idempotency<C extends JsonObject = JsonObject>(
  options: IdempotencyOptions<C>,
): MiddlewareObj<Event, Result> {
  const { store, ambient, docsBase, effect, on5xx = 'release', required = true, mismatchStatus = 422 } = options;
  const { methods = ['POST', 'PATCH'], principal = jwtPrincipal(), keyStatusPath, observe = () => {} } = options;
  const protocol: Protocol = { store, ambient, retentionMs: options.retentionMs ?? RETENTION_MS_DEFAULT, observe };
  const invocations = new WeakMap<object, Invocation>();

  const renderProblem = (request: HttpRequest, problem: Problem): Result =>
    toResult(problemResponse(problem, { docsBase, instance: request.instance }));

  const enter = (claim: ClaimedClaim | ExecutingClaim, http: HttpRequest, request: Request, budget: Budget): void => {
    const render = (answer: Answer): Result =>
      answer.kind === 'final' ? toResult(answer.response) : renderProblem(http, answer.problem);
    const pending = renderProblem(http, outcomePending('own'));
    if (effect !== undefined && claim.status === 'claimed') {
      const operation = new GatedOperation(protocol, effect, claim, budget);
      const perform = async (command: C): Promise<Result> => render(await operation.perform(command));
      invocations.set(request, gatedInvocation(operation, render, pending));
      request.context = withOperation(request.context, { id: operation.id, perform });
    } else {
      const operation = new UngatedOperation(protocol, claim as ExecutingClaim, on5xx);
      const detail = 'The handler failed, and this route keeps failures.';
      const failed = renderProblem(http, { type: PROBLEMS.handlerFailed, detail });
      const codec = { read: fromResult, render, own: toFirstResult };
      invocations.set(request, ungatedInvocation({ operation, on5xx, budget, ...codec, failed, pending }));
      const perform = () => Promise.reject(new MisuseError('perform() needs the `effect` option of idempotency().'));
      request.context = withOperation(request.context, { id: claim.operation, perform });
    }
  };

  return {
    async before(request) {
      const http = fromEvent(untouched(request.event), principal);
      if (!methods.includes(http.method)) return undefined;
      if (http.principal === undefined) return renderProblem(http, principalMissing());
      const reading = readKey(http.header('idempotency-key'));
      if (reading.kind === 'missing' && !required) return undefined;
      if (reading.kind !== 'key') return renderProblem(http, refusedKey(reading));
      const { key } = reading;
      const budget = budgetOf(request.context, ambient);
      const begun = await begin(protocol, {
        pk: claimAddress(http.principal, key),
        scope: scopeOf(http.principal),
        fingerprint: fingerprintOf(http),
        budget,
        ...(effect !== undefined && { effect }),
        mismatchStatus,
        links: keyStatusPath === undefined ? [] : [`<${keyStatusPath(key)}>; rel="status"`],
      });
      if (begun.kind === 'run') return enter(begun.claim, http, request, budget);
      return begun.answer.kind === 'final'
        ? toResult(begun.answer.response)
        : renderProblem(http, begun.answer.problem);
    },
    async after(request) {
      const result = await invocations.get(request)?.returned(request.response);
      if (result !== undefined) request.response = result;
    },
    async onError(request) {
      const result = await invocations.get(request)?.threw(request.error);
      if (result !== undefined) request.response = result;
    },
  };
}

/** The event as API Gateway sent it; a parsed body has lost what the fingerprint needs. */
function untouched(event: Event): Event {
  if (event.body === undefined || event.body === null || typeof event.body === 'string') return event;
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
  detail: 'The authorizer verified no caller for this request. Put an authorizer on this route, or check its claims.',
});

const refusedKey = (reading: { kind: 'missing' } | { kind: 'invalid'; reason: string }): Problem =>
  reading.kind === 'missing'
    ? {
        type: PROBLEMS.keyMissing,
        detail: 'Send an Idempotency-Key header: one key for each intention, kept for every retry.',
      }
    : { type: PROBLEMS.keyInvalid, detail: `The Idempotency-Key header cannot be used: ${reading.reason}.` };
