import { createHash } from 'node:crypto';
import type { Due, RecordKey } from '../idempotency/store.ts';
import type { Write } from '../idempotency/transition.ts';

/** The item that a write is about. */
export const pkOf = (write: Write): string => (write.kind === 'claim' ? write.claim.pk : write.pk);

/** The shard of the due index that an open claim is listed in: uniform, and the same for every store and process. */
export const shardOf = (pk: string, shards: number): number =>
  createHash('sha256').update(pk).digest().readUInt32BE(0) % shards;

/** A record's name among everything that is stored: the encoded table has no slash, so the first one parts it. */
export const recordName = ({ table, key }: RecordKey): string => `${encodeURIComponent(table)}/${key}`;

export const nameOf = (due: Due): string => (due.kind === 'claim' ? due.pk : recordName(due));
