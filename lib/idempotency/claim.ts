import type { Fingerprint } from './fingerprint.ts';
import type { JsonObject } from './json.ts';
import type { EpochMs, EpochSeconds } from './time.ts';

/** Version of the stored shape. A reader that meets a newer one touches nothing. */
export const SCHEMA_VERSION = 1;

/** A response as it is stored and replayed: exact status, exact bytes, allow-listed headers in lower case. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * What is left of an answer whose bytes are not at hand: too large for the moment in which they had to be written,
 * deleted, damaged, or of no concern to a request that only happens to have met the claim.
 */
export interface BodilessResponse {
  /** Absent from an item that is older than answers, or damaged. */
  readonly status?: number;
  /** `location` at least, where the answer had one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: undefined;
}

export type KeptResponse = StoredResponse | BodilessResponse;

export const isWhole = (response: KeptResponse): response is StoredResponse => response.body !== undefined;

/**
 * What happened, in the provider's words and not in a caller's opinion.
 * `performed`, `declined` and `not-performed` are an effect's; `answered` is a handler without one.
 */
export interface Outcome {
  readonly result: 'performed' | 'declined' | 'not-performed' | 'answered';
  /** The provider's object, once known. */
  readonly ref?: string;
  /** What the answer is rendered from, besides the command. */
  readonly detail?: JsonObject;
}

/** Two reports of one effect agree when they name the same result and the same provider object. */
export const sameOutcome = (a: Outcome, b: Outcome): boolean => a.result === b.result && a.ref === b.ref;

export type SettledBy = 'owner' | 'retry' | 'webhook' | 'reconciler';

/** What the gate wrote: enough for anybody to look the effect up, send it again and render its answer. */
export interface Gate {
  readonly providerKey: string;
  /** The validated request, without secrets. */
  readonly command: JsonObject;
  readonly sentAt: EpochMs;
  /** The provider's object, where the owner learned it before it lost the outcome. */
  readonly providerRef?: string;
}

interface Identity {
  readonly v: typeof SCHEMA_VERSION;
  /** Hash of tenant, subject and key. */
  readonly pk: string;
  /** Id of this generation of the claim: new for each claim, kept by a takeover. */
  readonly operation: string;
  /** Fresh for each invocation. */
  readonly owner: string;
  readonly fingerprint: Fingerprint;
  /** Hash of tenant and subject; checked before every replay. */
  readonly scope: string;
  readonly createdAt: EpochMs;
}

interface Open extends Identity {
  readonly leaseUntil: EpochMs;
  /** When the reconciler should look next. */
  readonly dueAt: EpochMs;
  /** How often the reconciler has looked. */
  readonly attempts: number;
  /** Why no machine can settle it. */
  readonly quarantine?: string;
}

/** Before the gate: nothing has been sent, release and takeover are safe. */
export interface ClaimedClaim extends Open {
  readonly status: 'claimed';
}

/** After the gate, or a handler without one: the effect may be under way. */
export interface ExecutingClaim extends Open {
  readonly status: 'executing';
  readonly gate?: Gate;
}

/** Handed off by its owner: the effect may or may not have happened. */
export interface UnknownClaim extends Open {
  readonly status: 'unknown';
  readonly gate: Gate;
}

export type OpenClaim = ClaimedClaim | ExecutingClaim | UnknownClaim;

/** Settled once; never changes again. The only state with an expiry. */
export interface DoneClaim extends Identity {
  readonly status: 'done';
  readonly gate?: Gate;
  readonly outcome: Outcome;
  readonly response: KeptResponse;
  readonly settledBy: SettledBy;
  readonly expiresAt: EpochSeconds;
}

export type Claim = OpenClaim | DoneClaim;

/** An item of a schema that this code does not know. */
export interface NewerClaim {
  readonly status: 'newer';
  readonly v: number;
  readonly pk: string;
}

/** What a read or a failed condition shows. */
export type Found = Claim | NewerClaim | undefined;

export const isOpen = (found: Found): found is OpenClaim =>
  found !== undefined && found.status !== 'done' && found.status !== 'newer';
