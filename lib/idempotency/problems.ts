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
