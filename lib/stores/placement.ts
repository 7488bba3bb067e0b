import { createHash } from 'node:crypto';
import type { Write } from '../idempotency/transition.ts';

/** The item that a write is about. */
export const pkOf = (write: Write): string => (write.kind === 'claim' ? write.claim.pk : write.pk);

/** The shard of the due index that an open claim is listed in: uniform, and the same for every store and process. */
export const shardOf = (pk: string, shards: number): number =>
  createHash('sha256').update(pk).digest().readUInt32BE(0) % shards;
