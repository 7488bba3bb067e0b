/** How an invocation ended. */
export type Outcome =
  | { readonly kind: 'returned'; readonly payload: string }
  /** The handler threw; the payload is the runtime's error document. */
  | { readonly kind: 'threw'; readonly payload: string }
  | { readonly kind: 'init-failed'; readonly reason: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** The process ended or was killed before it answered. */
  | { readonly kind: 'exited'; readonly reason: string }
  | { readonly kind: 'response-too-large' }
  /** No execution environment became free in time. */
  | { readonly kind: 'throttled' };

/** One line for people; a returned result needs none. */
export function describeOutcome(outcome: Exclude<Outcome, { kind: 'returned' }>): string {
  switch (outcome.kind) {
    case 'threw':
      return describeError(outcome.payload);
    case 'init-failed':
      return `failed to start: ${describeError(outcome.reason)}`;
    case 'timed-out':
      return `Task timed out after ${(outcome.afterMs / 1000).toFixed(2)} seconds`;
    case 'exited':
      return `Runtime exited: ${outcome.reason}`;
    case 'response-too-large':
      return 'Response payload size exceeded 6 MB';
    case 'throttled':
      return 'no execution environment became free in time';
    default:
      return outcome satisfies never;
  }
}

/** The runtime's error document in short: `TypeError: x is not a function`. */
function describeError(document: string): string {
  try {
    const { errorType, errorMessage } = JSON.parse(document) as Record<string, unknown>;
    return `${errorType}: ${errorMessage}`;
  } catch {
    return document;
  }
}
