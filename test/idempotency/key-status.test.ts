import { describe, expect, test } from 'vitest';
import type { DoneClaim, Found, OpenClaim } from '../../lib/idempotency/claim.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import { keyStatus } from '../../lib/idempotency/key-status.ts';
import { type EpochSeconds, epochMs } from '../../lib/idempotency/time.ts';

const NOW = epochMs(1_000_000);
const identity = {
  v: 1,
  pk: 'pk',
  operation: 'op',
  owner: 'me',
  fingerprint: 'f1:x' as Fingerprint,
  scope: 'scope',
  createdAt: NOW,
} as const;
const claimed: OpenClaim = {
  ...identity,
  status: 'claimed',
  leaseUntil: epochMs(1_002_000),
  dueAt: epochMs(1_002_000),
  attempts: 0,
};
const done: DoneClaim = {
  ...identity,
  status: 'done',
  outcome: { result: 'answered' },
  response: { status: 201, headers: {}, body: new Uint8Array() },
  settledBy: 'owner',
  expiresAt: 1_001 as EpochSeconds,
};

test.each<[string, Found, unknown]>([
  ['nobody has used it', undefined, { state: 'unknown' }],
  ['newer code wrote it', { status: 'newer', v: 2, pk: 'pk' }, { state: 'unreadable' }],
  ["it is another principal's", { ...claimed, scope: 'other' }, { state: 'unknown' }],
  ["another principal's is done", { ...done, scope: 'other' }, { state: 'unknown' }],
  ['its request runs', claimed, { state: 'in-progress', retryAfterMs: 2_000 }],
  ['its owner is gone', { ...claimed, leaseUntil: NOW }, { state: 'pending' }],
  ['it is quarantined', { ...claimed, quarantine: 'used up' }, { state: 'under-review' }],
  ['it is settled', done, { state: 'completed', claim: done }],
  ['its retention has ended', { ...done, expiresAt: 1_000 as EpochSeconds }, { state: 'unknown' }],
])('the state of a key when %s', (_, found, status) => {
  expect(keyStatus(found, 'scope', NOW)).toEqual(status);
});

describe('an expired key', () => {
  // A20
  test('is unknown although its item is still there', () => {
    expect(keyStatus(done, 'scope', epochMs(1_001_000))).toEqual({ state: 'unknown' });
    expect(keyStatus(done, 'scope', epochMs(1_000_999)).state).toBe('completed');
  });
});
