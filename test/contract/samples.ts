import { createHash, randomUUID } from 'node:crypto';
import type { ClaimedClaim, ExecutingClaim, Gate, OpenClaim, StoredResponse } from '../../lib/idempotency/claim.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import type { RecordKey, Store } from '../../lib/idempotency/store.ts';
import { after, type EpochSeconds, epochMs } from '../../lib/idempotency/time.ts';
import type { Write } from '../../lib/idempotency/transition.ts';

export type WriteOf<K extends Write['kind']> = Extract<Write, { kind: K }>;

export const NOW = epochMs(1_800_000_000_000);
export const LEASE_UNTIL = after(NOW, 10_000);
/** The first moment at which the lease has ended. */
export const LAPSED = after(LEASE_UNTIL, 1);
export const EXPIRES_AT = (NOW / 1000 + 86_400) as EpochSeconds;
export const EXPIRED = epochMs(EXPIRES_AT * 1000);

export const freshPk = (): string => createHash('sha256').update(randomUUID()).digest('base64url');
export const freshKey = (): RecordKey => ({ table: 'orders', key: randomUUID() });

export const claimed = (pk = freshPk(), operation = 'op-1', owner = 'me'): ClaimedClaim => ({
  v: 1,
  pk,
  operation,
  owner,
  fingerprint: 'sha256:x' as Fingerprint,
  scope: 'alice',
  createdAt: NOW,
  status: 'claimed',
  leaseUntil: LEASE_UNTIL,
  dueAt: LEASE_UNTIL,
  attempts: 0,
});

export const ungated = (pk?: string, operation?: string, owner?: string): ExecutingClaim => ({
  ...claimed(pk, operation, owner),
  status: 'executing',
});

export const GATE: Gate = {
  providerKey: 'pk-op-1',
  // Members out of order, a number that DynamoDB cannot hold and an empty name: a command comes back as it was.
  command: { orderId: 'o-1', amount: 1999, '': null, list: [1e300, { z: 'é', a: '' }], flag: false },
  sentAt: after(NOW, 5),
};

export const RESPONSE: StoredResponse = {
  status: 201,
  headers: { 'content-type': 'application/json', location: '/payments/1' },
  body: Uint8Array.of(0, 255, 254, 123, 13, 10, 128),
};

export const claim = (of: ClaimedClaim | ExecutingClaim, now = NOW): WriteOf<'claim'> => ({
  kind: 'claim',
  claim: of,
  now,
});
export const takeOver = (pk: string): WriteOf<'take-over'> => ({
  kind: 'take-over',
  pk,
  operation: 'op-1',
  from: 'me',
  owner: 'heir',
  fingerprint: 'sha256:x' as Fingerprint,
  leaseUntil: after(NOW, 60_000),
  now: LAPSED,
});
export const gate = (pk: string): WriteOf<'gate'> => ({ kind: 'gate', pk, operation: 'op-1', owner: 'me', gate: GATE });
export const release = (pk: string): WriteOf<'release'> => ({ kind: 'release', pk, operation: 'op-1', owner: 'me' });
export const releaseUngated = (pk: string): WriteOf<'release-ungated'> => ({ ...release(pk), kind: 'release-ungated' });
export const handOff = (pk: string): WriteOf<'hand-off'> => ({
  kind: 'hand-off',
  pk,
  operation: 'op-1',
  owner: 'me',
  now: after(NOW, 900),
});
export const settle = (pk: string): WriteOf<'settle'> => ({
  kind: 'settle',
  pk,
  operation: 'op-1',
  outcome: { result: 'performed', ref: 'pi_1', detail: { status: 'succeeded', created: 7 } },
  response: RESPONSE,
  settledBy: 'owner',
  expiresAt: EXPIRES_AT,
});
export const lease = (pk: string): WriteOf<'lease'> => ({
  kind: 'lease',
  pk,
  operation: 'op-1',
  dueWas: LEASE_UNTIL,
  dueAt: after(NOW, 30_000),
});
export const quarantine = (pk: string): WriteOf<'quarantine'> => ({
  kind: 'quarantine',
  pk,
  operation: 'op-1',
  reason: 'too-old',
  dueAt: after(NOW, 3_600_000),
});

export type State = 'absent' | 'claimed' | 'executing' | 'ungated' | 'unknown' | 'done';

/** A fresh claim of `me` in generation `op-1`, brought to a state by the writes that lead there. */
export async function reach(store: Store, state: State): Promise<string> {
  const pk = freshPk();
  const path: Record<State, readonly Write[]> = {
    absent: [],
    claimed: [claim(claimed(pk))],
    executing: [claim(claimed(pk)), gate(pk)],
    ungated: [claim(ungated(pk))],
    unknown: [claim(claimed(pk)), gate(pk), handOff(pk)],
    done: [claim(claimed(pk)), gate(pk), settle(pk)],
  };
  for (const write of path[state]) {
    const result = await store.write(write);
    if (result.kind !== 'applied') throw new Error(`${write.kind} was ${result.kind} on the way to ${state}`);
  }
  return pk;
}

export const openAs = (pk: string, more: Partial<OpenClaim>) => ({ ...claimed(pk), ...more });
