import type { Final } from './intention.ts';

/** What an answer means to a client that reads `code` and `retry`. */
export type Verdict =
  | { readonly kind: 'final'; readonly final: Final; readonly isReplay: boolean }
  | { readonly kind: 'order-paid' }
  | { readonly kind: 'under-review' }
  /** Ask again with the same key. */
  | { readonly kind: 'retry' }
  /** Nothing that this client's request can lawfully be answered with. */
  | { readonly kind: 'surprise' };

export interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly verdict: Verdict;
  readonly text: string;
}

interface Problem {
  readonly code?: string | undefined;
  readonly retry?: string | undefined;
}

const FINAL_PROBLEMS: readonly (string | undefined)[] = ['payment-declined', 'payment-not-performed'];

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const { code, retry } = problemOf(response, text);
  const { status, headers } = response;
  return { status, code, text, verdict: verdictOf(status, headers, text, { code, retry }) };
}

function verdictOf(status: number, headers: Headers, text: string, problem: Problem): Verdict {
  if (status === 201 || (status === 402 && FINAL_PROBLEMS.includes(problem.code))) {
    const final = { status, location: headers.get('location'), contentType: headers.get('content-type'), text };
    return { kind: 'final', final, isReplay: headers.get('idempotency-replayed') === 'true' };
  }
  if (status === 409 && problem.code === 'order-already-paid') return { kind: 'order-paid' };
  if (status === 409 && problem.code === 'under-review') return { kind: 'under-review' };
  // A function that was killed leaves the gateway's own 5xx behind.
  const isTemporary = status >= 500 || status === 429 || (status === 409 && problem.retry === 'same-key');
  return isTemporary ? { kind: 'retry' } : { kind: 'surprise' };
}

function problemOf(response: Response, text: string): Problem {
  if (!/problem\+json/.test(response.headers.get('content-type') ?? '')) return {};
  return JSON.parse(text) as Problem;
}
