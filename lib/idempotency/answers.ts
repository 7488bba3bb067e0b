import type { BodilessResponse, StoredResponse } from './claim.ts';
import { PROBLEMS, type Problem } from './problems.ts';

/** What leaves the protocol towards the client. */
export type Answer =
  | { readonly kind: 'final'; readonly response: StoredResponse }
  | { readonly kind: 'problem'; readonly problem: Problem };

export const problem = (value: Problem): Answer => ({ kind: 'problem', problem: value });
export const final = (response: StoredResponse): Answer => ({ kind: 'final', response });

/** A settled outcome is usually seconds away; a client that asks sooner only costs money. */
const RETRY_SOON_SECONDS = 1;

/** The store's own throttling recovers within seconds. */
const RETRY_STORE_SECONDS = 2;

const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

export const inProgress = (leaseLeftMs: number, links: readonly string[]): Problem => ({
  type: PROBLEMS.inProgress,
  detail: 'Another request with this Idempotency-Key has not finished. Send the same request again later.',
  retryAfterSeconds: wholeSeconds(leaseLeftMs),
  links,
});

export const mismatch = (status: number): Problem => ({
  type: PROBLEMS.keyReused,
  status,
  detail:
    'This Idempotency-Key was first used with another method, path, query, media type or body. ' +
    'Retry the first request unchanged, or send this one with a new key.',
});

/** 409 for a request that met somebody's open claim, 503 for the caller whose own call is in doubt. */
export const outcomePending = (whose: 'own' | 'other', links: readonly string[] = []): Problem => ({
  type: PROBLEMS.outcomePending,
  status: whose === 'own' ? 503 : PROBLEMS.outcomePending.status,
  detail: 'The operation was started and its outcome is not known yet. Send the same request with the same key again.',
  retryAfterSeconds: RETRY_SOON_SECONDS,
  links,
});

export const underReview = (links: readonly string[]): Problem => ({
  type: PROBLEMS.underReview,
  detail: 'The outcome of this operation waits for an operator. Do not start it again under another key.',
  links,
});

/** For a settled claim whose answer is neither kept nor to be rendered again. */
export const responseGone = ({ status, headers }: BodilessResponse): Problem => ({
  type: PROBLEMS.responseGone,
  detail:
    'The first request with this Idempotency-Key was carried out, and the body of its answer is no longer kept. ' +
    'Do not send it again under another key: ask for what it made instead.',
  extensions: { originalStatus: status, location: headers['location'] },
});

export const storeUnavailable = (): Problem => ({
  type: PROBLEMS.storeUnavailable,
  detail: 'The key store could not be reached or refused the request. Send the same request with the same key again.',
  retryAfterSeconds: RETRY_STORE_SECONDS,
});

export const notEnoughTime = (): Problem => ({
  type: PROBLEMS.notEnoughTime,
  detail: 'The function had too little time left to run this operation safely. Send the same request again.',
  retryAfterSeconds: RETRY_SOON_SECONDS,
});
