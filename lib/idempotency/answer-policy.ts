/** Which answers of a plain handler every retry gets; what is not kept releases the key. */
export type Keep = 'final' | 'everything' | 'success';

/** What becomes of the key when the handler itself fails. */
export type On5xx = 'release' | 'store';

export interface AnswerPolicy {
  readonly keep: Keep;
  readonly on5xx: On5xx;
}

/** Asks for another attempt, so it cannot be the answer to every attempt, unless every answer is. */
const TOO_MANY_REQUESTS = 429;

/** Whether an answer of this status is the one answer of its key. */
export function isKept(status: number, { keep, on5xx }: AnswerPolicy): boolean {
  switch (keep) {
    case 'everything':
      return true;
    case 'success':
      return status >= 200 && status < 300;
    case 'final':
      return status !== TOO_MANY_REQUESTS && (status < 500 || on5xx === 'store');
  }
}
