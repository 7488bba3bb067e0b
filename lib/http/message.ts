import type { StoredResponse } from '../idempotency/claim.ts';
import type { RequestIdentity } from '../idempotency/fingerprint.ts';
import type { Principal } from '../idempotency/scope.ts';

export interface HeaderReader {
  /** The field lines of one header; the name is matched whatever its case. */
  header(name: string): readonly string[];
}

/** A request, whichever front door it came through. */
export interface HttpRequest extends RequestIdentity, HeaderReader {
  /** The path as the event has it, for messages: an HTTP API has decoded it, the other doors have not. */
  readonly path: string;
  /** Who the authorizer says is asking. */
  readonly principal: Principal | undefined;
  /** URI of this request, for the `instance` of problems. */
  readonly instance: string;
}

/** A response, whichever front door it leaves by; header names in lower case, exact bytes. */
export type HttpResponse = StoredResponse;

/** Headers that are made for each answer and never stored; names in lower case. */
export type FreshHeaders = Readonly<Record<string, string>>;
