/** Names that the code which writes the table and the stack which makes it must agree on. */

export const PARTITION_KEY = 'pk';

/** Epoch seconds; on settled claims only, so that DynamoDB can never delete an open one. */
export const TTL_ATTRIBUTE = 'expiresAt';

/** Sparse, keys-only index over the open claims, by the moment the reconciler should look at them. */
export const DUE_INDEX = 'due';
export const DUE_SHARD = 'dueShard';
export const DUE_AT = 'dueAt';

/**
 * Partitions of the due index. One index partition takes 1,000 writes a second and every claim enters and leaves the
 * index, so 8 shards carry some 4,000 claims a second; raise it before that, never lower it while claims are open.
 */
export const DUE_SHARDS = 8;
