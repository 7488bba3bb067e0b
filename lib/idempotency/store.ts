import type { Claim, Found } from './claim.ts';
import type { JsonObject } from './json.ts';
import type { EpochMs } from './time.ts';
import type { Write } from './transition.ts';

/** A domain record's address: a kind of record and a key that is unique within it. */
export interface RecordKey {
  readonly table: string;
  readonly key: string;
}

/**
 * A write of the domain that travels in the same transaction as a claim's: plain data that every store can execute.
 * `expect` is `'absent'`, or members that the record must have with exactly these values.
 */
export type DomainWrite = RecordKey & {
  readonly expect: 'absent' | JsonObject;
} /** `dueAt` puts the record into the due index until it is put without it, or removed. */ & (
    | { readonly put: JsonObject; readonly dueAt?: EpochMs }
    | { readonly remove: true }
  );

/** A domain record that refused a write, as it was found. */
export interface Blocking extends RecordKey {
  readonly record: JsonObject | undefined;
}

export type WriteResult =
  /** Written. `answerLost` says why a settlement stands without the bytes of its answer. */
  | { readonly kind: 'applied'; readonly answerLost?: string }
  /**
   * The item already says what this write would have said: an earlier attempt of it landed and its reply was lost, or
   * somebody settled with the same outcome. `claim` is that item; absent after a release.
   */
  | { readonly kind: 'already'; readonly claim: Claim | undefined }
  /** The claim's own condition failed; `found` is the item that refused. Nothing was written. */
  | { readonly kind: 'refused'; readonly found: Found }
  /** The claim's condition held, the domain's did not. Nothing was written. */
  | { readonly kind: 'blocked'; readonly by: readonly Blocking[] };

/** Whether the item now says what the write wanted it to say. */
export const hasLanded = ({ kind }: WriteResult): boolean => kind === 'applied' || kind === 'already';

/** An entry of the due index: a hint, to be read again before anybody acts on it. */
export type Due = { readonly dueAt: EpochMs } & (
  | { readonly kind: 'claim'; readonly pk: string }
  | ({ readonly kind: 'record' } & RecordKey)
);

export interface DuePage {
  readonly due: readonly Due[];
  /** Present while the shard has more. */
  readonly next?: string;
}

/**
 * Where claims live. Every write is conditional and atomic with its domain writes, every read is strongly consistent,
 * and whatever is not a definite answer is thrown as `StoreUnavailableError`.
 *
 * An answer of any size comes back with its claim, byte for byte, wherever its bytes are kept. It comes back bodiless
 * where they are gone, which never keeps a claim from being settled, and where the claim is shown to a first request
 * that may not have it: one with another fingerprint or scope, or after its expiry.
 */
export interface Store {
  read(pk: string): Promise<Found>;
  write(write: Write, alongside?: readonly DomainWrite[]): Promise<WriteResult>;
  /** One page of a shard's open claims and due records with `dueAt <= until`, oldest first. */
  due(shard: number, until: EpochMs, limit: number, from?: string): Promise<DuePage>;
  /** A domain record. */
  record(at: RecordKey): Promise<JsonObject | undefined>;
  /** Domain writes without a claim's, all or nothing. */
  commit(
    writes: readonly DomainWrite[],
  ): Promise<{ readonly kind: 'applied' } | { readonly kind: 'blocked'; readonly by: readonly Blocking[] }>;
  /** Number of shards of the due index. */
  readonly shards: number;
}
