import { isDeepStrictEqual } from 'node:util';
import { type Claim, type Found, isOpen } from '../idempotency/claim.ts';
import { StoreUnavailableError } from '../idempotency/errors.ts';
import type { JsonObject } from '../idempotency/json.ts';
import type { Blocking, DomainWrite, Due, DuePage, RecordKey, Store } from '../idempotency/store.ts';
import { type Ambient, type EpochMs, isExpired } from '../idempotency/time.ts';
import { transition, type Write } from '../idempotency/transition.ts';
import { nameOf, pkOf, shardOf } from './placement.ts';

/** Some 10 MB at 1 kB an item: a test or a demonstration never meets it, a leak does. */
const ITEMS_MAX = 10_000;
/** As many as the table has, so that callers meet more than one. */
const SHARDS = 8;

interface Stored extends RecordKey {
  readonly record: JsonObject;
  readonly dueAt: EpochMs | undefined;
}

export interface MemoryStoreOptions {
  readonly now: Ambient['now'];
  /**
   * Claims and domain records together. A full store forgets settled claims that have expired, never anything else,
   * and then refuses new items with `StoreUnavailableError`.
   * @default 10_000
   */
  readonly maxItems?: number;
}

/**
 * A store in the memory of one process, for tests and demonstrations: it guarantees what the port promises, but only
 * to the callers of this one object and only for as long as the process lives.
 *
 * @example
 * const store = memoryStore({ now: ambient.now });
 */
export function memoryStore({ now, maxItems = ITEMS_MAX }: MemoryStoreOptions): Store {
  const claims = new Map<string, Claim>();
  const records = new Map<string, Stored>();

  const blocking = (writes: readonly DomainWrite[]): Blocking[] =>
    writes
      .filter((write) => !holds(write.expect, records.get(address(write))?.record))
      .map(({ table, key }) => ({ table, key, record: copy(records.get(address({ table, key }))?.record) }));

  /** Must be called before anything changes: it may refuse. */
  function makeRoom(newItems: number): void {
    const overflows = () => claims.size + records.size + newItems > maxItems;
    if (newItems === 0 || !overflows()) return;
    for (const [pk, claim] of claims) if (isForgettable(claim, now())) claims.delete(pk);
    if (overflows())
      throw new StoreUnavailableError(
        `The memory store holds its maximum of ${maxItems} items and none has expired: raise maxItems, or use a table.`,
      );
  }

  const newRecords = (writes: readonly DomainWrite[]): number =>
    writes.filter((write) => 'put' in write && !records.has(address(write))).length;

  function applyDomain(writes: readonly DomainWrite[]): void {
    for (const write of writes) {
      if ('put' in write) {
        const { table, key, put, dueAt } = write;
        records.set(address(write), { table, key, record: copy(put), dueAt });
      } else records.delete(address(write));
    }
  }

  function applyClaim(pk: string, next: Claim | undefined): void {
    if (next === undefined) claims.delete(pk);
    else claims.set(pk, copy(next));
  }

  return {
    shards: SHARDS,

    async read(pk: string): Promise<Found> {
      return copy(claims.get(pk));
    },

    async record(at: RecordKey) {
      return copy(records.get(address(at))?.record);
    },

    async write(write: Write, alongside: readonly DomainWrite[] = []) {
      assertDistinct(alongside);
      const pk = pkOf(write);
      const found = claims.get(pk);
      const decision = transition(found, write);
      if (decision.kind === 'refuse') return { kind: 'refused', found: copy(found) };
      if (decision.kind === 'already') return { kind: 'already', claim: copy(decision.claim) };

      const by = blocking(alongside);
      if (by.length > 0) return { kind: 'blocked', by };

      makeRoom(newRecords(alongside) + (found === undefined ? 1 : 0));
      applyClaim(pk, decision.next);
      applyDomain(alongside);
      return { kind: 'applied' };
    },

    async commit(writes: readonly DomainWrite[]) {
      assertDistinct(writes);
      const by = blocking(writes);
      if (by.length > 0) return { kind: 'blocked', by };
      makeRoom(newRecords(writes));
      applyDomain(writes);
      return { kind: 'applied' };
    },

    async due(shard: number, until: EpochMs, limit: number, from?: string): Promise<DuePage> {
      const due: Due[] = [];
      for (const { pk, dueAt } of [...claims.values()].filter(isOpen)) due.push({ kind: 'claim', pk, dueAt });
      for (const { table, key, dueAt } of records.values())
        if (dueAt !== undefined) due.push({ kind: 'record', table, key, dueAt });
      const listed = due.filter((entry) => entry.dueAt <= until && shardOf(nameOf(entry), SHARDS) === shard);
      listed.sort((a, b) => (cursor(a) < cursor(b) ? -1 : 1));

      const rest = from === undefined ? listed : listed.filter((entry) => cursor(entry) > from);
      const page = rest.slice(0, limit);
      const last = page.at(-1);
      return last !== undefined && rest.length > limit ? { due: page, next: cursor(last) } : { due: page };
    },
  };
}

const isForgettable = (claim: Claim, now: EpochMs): boolean =>
  claim.status === 'done' && isExpired(claim.expiresAt, now);

/** No two kinds of record and keys share an address, whatever characters they hold. */
const address = ({ table, key }: RecordKey): string => JSON.stringify([table, key]);

/** Digits of the largest safe integer: padded to them, moments sort as text. */
const MOMENT_DIGITS = 16;
const cursor = (due: Due): string => `${String(due.dueAt).padStart(MOMENT_DIGITS, '0')} ${nameOf(due)}`;

const holds = (expect: DomainWrite['expect'], record: JsonObject | undefined): boolean =>
  expect === 'absent'
    ? record === undefined
    : record !== undefined &&
      Object.entries(expect).every(([member, value]) => isDeepStrictEqual(record[member], value));

/** DynamoDB takes no two actions on one item in a transaction; neither does anybody who was tested here. */
function assertDistinct(writes: readonly DomainWrite[]): void {
  if (new Set(writes.map(address)).size < writes.length)
    throw new StoreUnavailableError(
      'A transaction writes to each record at most once: merge the writes to one record.',
    );
}

/** Deep, so that neither side sees what the other does to its own object; bytes without the buffer around them. */
function copy<T>(value: T): T {
  return copied(value) as T; // The copy has its original's shape.
}

function copied(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, of]) => [member, copied(of)]));
}
