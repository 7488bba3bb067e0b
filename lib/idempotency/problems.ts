import type { StoredResponse } from './claim.ts';

/** What a client may do next: send the same again, start a new intention, or stop. */
export type Retry = 'same-key' | 'new-key' | 'no';

/** A kind of problem, documented at `{docs base}/problems/{code}`. */
export interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly retry: Retry;
  /** For the documentation page: when it is answered and what to do. */
  readonly explanation: string;
}

/** One occurrence. */
export interface Problem {
  readonly type: ProblemType;
  /** What was received, and what to do; for people. */
  readonly detail: string;
  /** Replaces the type's status where configuration allows another. */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** Further links of the `Link` header, each already in its RFC 8288 form. */
  readonly links?: readonly string[];
  /** Extension members of RFC 9457, section 3.2. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The problems that the protocol itself answers. */
export const PROBLEMS = {
  keyMissing: {
    code: 'idempotency-key-missing',
    status: 400,
    title: 'Idempotency-Key is missing',
    retry: 'no',
    explanation:
      'This operation must not run twice, so it needs an Idempotency-Key header. Make one key for each intention, ' +
      'for example a UUID when the checkout opens, store it, and send it with every attempt.',
  },
  keyInvalid: {
    code: 'idempotency-key-invalid',
    status: 400,
    title: 'Idempotency-Key is malformed',
    retry: 'no',
    explanation:
      'A key has 1 to 255 visible ASCII characters, sent once, bare or as a quoted String of RFC 9651. ' +
      'Nothing was claimed.',
  },
  keyReused: {
    code: 'idempotency-key-reused',
    status: 422,
    title: 'Idempotency-Key was used for another request',
    retry: 'new-key',
    explanation:
      'The key belongs to a request with another method, path, query, media type or body. A retry must be sent ' +
      'unchanged; another request needs a key of its own. The first request is not affected.',
  },
  inProgress: {
    code: 'idempotency-key-in-progress',
    status: 409,
    title: 'The first request with this key is still running',
    retry: 'same-key',
    explanation: 'Wait for Retry-After seconds and send the same request with the same key again.',
  },
  outcomePending: {
    code: 'outcome-pending',
    status: 409,
    title: 'The outcome is not known yet',
    retry: 'same-key',
    explanation:
      'The operation may have happened. Nobody may call it failed, and it will not happen twice: send the same ' +
      'request with the same key again after Retry-After seconds until the answer is final. Without a retry it is ' +
      'settled all the same.',
  },
  underReview: {
    code: 'under-review',
    status: 409,
    title: 'The operation is under review',
    retry: 'no',
    explanation:
      'The outcome could not be found out by machine and waits for an operator. Do not start the operation again ' +
      'under another key: it may have happened. Ask for the state of the key later.',
  },
  storeUnavailable: {
    code: 'store-unavailable',
    status: 503,
    title: 'The key store does not answer',
    retry: 'same-key',
    explanation:
      'Without the store nobody can tell whether this request ran before, so it was not run. Send the same request ' +
      'with the same key again after Retry-After seconds.',
  },
  notEnoughTime: {
    code: 'not-enough-time',
    status: 503,
    title: 'Too little time was left to run safely',
    retry: 'same-key',
    explanation: 'Nothing was started. Send the same request with the same key again after Retry-After seconds.',
  },
  responseGone: {
    code: 'response-gone',
    status: 410,
    title: 'The answer to this key is gone',
    retry: 'no',
    explanation:
      'The operation is done, and nothing of it is repeated, but the body of its answer could not be kept or was ' +
      'deleted. originalStatus and location, where they are known, tell how it was answered and where its result is. ' +
      'Do not start the operation again under another key.',
  },
  handlerFailed: {
    code: 'handler-failed',
    status: 500,
    title: 'The operation failed',
    retry: 'new-key',
    explanation:
      'The handler failed, and this route keeps failures: every retry with this key gets this same answer. ' +
      'A new attempt needs a new key.',
  },
  internalError: {
    code: 'internal-error',
    status: 500,
    title: 'Something went wrong on our side',
    retry: 'same-key',
    explanation:
      'The service failed in a way that it did not foresee. Nobody can tell from this answer whether the operation ' +
      'happened, so send the same request with the same key again: it will not happen twice.',
  },
  principalMissing: {
    code: 'principal-missing',
    status: 401,
    title: 'The request has no verified principal',
    retry: 'no',
    explanation:
      'Keys belong to the caller whom the authorizer verified. A request without one is refused, because a scope ' +
      'shared by strangers would show one the answers of another.',
  },
} as const satisfies Record<string, ProblemType>;

export interface ProblemContext {
  /** Absolute URL that serves `/problems/{code}`; no trailing slash. */
  readonly docsBase: string;
  /** URI of this occurrence. */
  readonly instance: string;
}

/** Renders a problem as RFC 9457 `application/problem+json`; the same arguments give the same bytes. */
export function problemResponse(problem: Problem, { docsBase, instance }: ProblemContext): StoredResponse {
  const { type, detail, retryAfterSeconds, links = [], extensions } = problem;
  const status = problem.status ?? type.status;
  const documentation = `${docsBase}/problems/${type.code}`;
  const members = {
    type: documentation,
    title: type.title,
    status,
    detail,
    instance,
    code: type.code,
    retry: type.retry,
  };
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      link: [`<${documentation}>; rel="describedby"`, ...links].join(', '),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: new TextEncoder().encode(JSON.stringify({ ...members, ...extensions })),
  };
}
