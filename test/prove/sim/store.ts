import { isDeepStrictEqual } from 'node:util';
import { type Claim, type Found, isOpen } from '../../../lib/idempotency/claim.ts';
import type { JsonObject } from '../../../lib/idempotency/json.ts';
import type { Blocking, DomainWrite, Due, RecordKey, WriteResult } from '../../../lib/idempotency/store.ts';
import { transition, type Write } from '../../../lib/idempotency/transition.ts';
import { pkOf } from '../../../lib/stores/placement.ts';

export interface DomainRecord extends RecordKey {
  readonly record: JsonObject;
  readonly dueAt: number | undefined;
}

/** Is told of every change, before anybody else. */
export interface StoreWatch {
  claimChanged(before: Claim | undefined, after: Claim | undefined, write: Write): void;
}

const addressOf = ({ table, key }: RecordKey): string => `${table}/${key}`;

/**
 * The table: its decisions are the production code's `transition`, and claims and domain records change together.
 * Nothing is copied, because nothing that is stored is ever changed in place; a test holds it to the memory store.
 */
export class SimStore {
  readonly claims = new Map<string, Claim>();
  readonly records = new Map<string, DomainRecord>();
  readonly #watch: StoreWatch;
  #staleIndex: readonly Due[] = [];

  constructor(watch: StoreWatch) {
    this.#watch = watch;
  }

  read(pk: string): Found {
    return this.claims.get(pk);
  }

  record(at: RecordKey): JsonObject | undefined {
    return this.records.get(addressOf(at))?.record;
  }

  write(write: Write, alongside: readonly DomainWrite[]): WriteResult {
    const pk = pkOf(write);
    const found = this.claims.get(pk);
    const decision = transition(found, write);
    if (decision.kind === 'refuse') return { kind: 'refused', found };
    if (decision.kind === 'already') return { kind: 'already', claim: decision.claim };
    const by = this.#blocking(alongside);
    if (by.length > 0) return { kind: 'blocked', by };
    if (decision.next === undefined) this.claims.delete(pk);
    else this.claims.set(pk, decision.next);
    this.#applyDomain(alongside);
    this.#watch.claimChanged(found, decision.next, write);
    return { kind: 'applied' };
  }

  commit(
    writes: readonly DomainWrite[],
  ): { readonly kind: 'applied' } | { readonly kind: 'blocked'; readonly by: readonly Blocking[] } {
    const by = this.#blocking(writes);
    if (by.length > 0) return { kind: 'blocked', by };
    this.#applyDomain(writes);
    return { kind: 'applied' };
  }

  /** Everything that waits for the reconciler by `until`, oldest first; `isStale` shows the index of an earlier time. */
  due(until: number, isStale: boolean): readonly Due[] {
    const index = isStale ? this.#staleIndex : this.#index();
    return index.filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt);
  }

  /** The index as it is now is what a stale reader will see from now on. */
  ageIndex(): void {
    this.#staleIndex = this.#index();
  }

  get staleIndex(): readonly Due[] {
    return this.#staleIndex;
  }

  hasExpired(now: number): boolean {
    for (const claim of this.claims.values()) if (isPast(claim, now)) return true;
    return false;
  }

  /** What DynamoDB does on its own: it deletes whatever carries an expiry that has passed, whatever else it says. */
  deleteExpired(now: number): readonly string[] {
    const expired = [...this.claims.values()].filter((claim) => isPast(claim, now));
    for (const { pk } of expired) this.claims.delete(pk);
    return expired.map(({ pk }) => pk);
  }

  #index(): Due[] {
    const due: Due[] = [];
    for (const claim of this.claims.values())
      if (isOpen(claim)) due.push({ kind: 'claim', pk: claim.pk, dueAt: claim.dueAt });
    for (const { table, key, dueAt } of this.records.values())
      if (dueAt !== undefined) due.push({ kind: 'record', table, key, dueAt } as Due); // A stored moment is one.
    return due;
  }

  #blocking(writes: readonly DomainWrite[]): readonly Blocking[] {
    return writes
      .filter((write) => !holds(write.expect, this.record(write)))
      .map(({ table, key }) => ({ table, key, record: this.record({ table, key }) }));
  }

  #applyDomain(writes: readonly DomainWrite[]): void {
    for (const write of writes) {
      const { table, key } = write;
      if ('put' in write) this.records.set(addressOf(write), { table, key, record: write.put, dueAt: write.dueAt });
      else this.records.delete(addressOf(write));
    }
  }
}

/** The attribute that DynamoDB looks at; only a settled claim may have it, so it is looked for on all. */
export const expiryOf = (claim: Claim): number | undefined => (claim as { readonly expiresAt?: number }).expiresAt;

const isPast = (claim: Claim, now: number): boolean => (expiryOf(claim) ?? Number.MAX_VALUE) * 1000 <= now;

function holds(expect: DomainWrite['expect'], record: JsonObject | undefined): boolean {
  if (expect === 'absent' || record === undefined) return expect === 'absent' && record === undefined;
  for (const member in expect)
    if (record[member] !== expect[member] && !isDeepStrictEqual(record[member], expect[member])) return false;
  return true;
}
