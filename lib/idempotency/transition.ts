import {
  type Claim,
  type ClaimedClaim,
  type DoneClaim,
  type ExecutingClaim,
  type Found,
  type Gate,
  isOpen,
  type OpenClaim,
  type Outcome,
  type SettledBy,
  type StoredResponse,
  sameOutcome,
  type UnknownClaim,
} from './claim.ts';
import type { Fingerprint } from './fingerprint.ts';
import { type EpochMs, type EpochSeconds, isExpired } from './time.ts';

/** The generation of a claim that a write is about. */
interface Generation {
  readonly pk: string;
  readonly operation: string;
}

/** Every way in which a claim may change. Nothing else is ever written to one. */
export type Write =
  /** T1: a first request. */
  | { readonly kind: 'claim'; readonly claim: ClaimedClaim | ExecutingClaim; readonly now: EpochMs }
  /** T2: a client's retry takes over a claim whose owner died before the gate. */
  | (Generation & {
      readonly kind: 'take-over';
      readonly from: string;
      readonly owner: string;
      readonly fingerprint: Fingerprint;
      readonly leaseUntil: EpochMs;
      readonly now: EpochMs;
    })
  /** T3: the owner passes the gate; from here on the effect may happen. */
  | (Generation & { readonly kind: 'gate'; readonly owner: string; readonly gate: Gate })
  /** T4: nothing was sent, so the key is free again. `lapsedAt` is the reconciler's extra condition. */
  | (Generation & { readonly kind: 'release'; readonly owner: string; readonly lapsedAt?: EpochMs })
  /** T4b: the handler of an ungated claim itself returned or threw, and its answer is not kept. */
  | (Generation & { readonly kind: 'release-ungated'; readonly owner: string })
  /** T5: the owner does not know what happened. */
  | (Generation & {
      readonly kind: 'hand-off';
      readonly owner: string;
      readonly now: EpochMs;
      readonly providerRef?: string;
    })
  /** T6: whoever holds a definite answer writes it down; the first writer wins. */
  | (Generation & {
      readonly kind: 'settle';
      readonly outcome: Outcome;
      readonly response: StoredResponse;
      readonly settledBy: SettledBy;
      readonly expiresAt: EpochSeconds;
      /** Given by the owner of work that may repeat, which needs no gate: it settles what it has claimed. */
      readonly owner?: string;
    })
  /** T7: the reconciler spreads its work; efficiency only. */
  | (Generation & { readonly kind: 'lease'; readonly dueWas: EpochMs; readonly dueAt: EpochMs })
  /** T8: what no machine can settle waits for an operator. */
  | (Generation & { readonly kind: 'quarantine'; readonly reason: string; readonly dueAt: EpochMs });

export type Decision =
  | { readonly kind: 'apply'; readonly next: Claim | undefined }
  /** The item already shows this very write: its reply was lost. */
  | { readonly kind: 'already'; readonly claim: Claim | undefined }
  | { readonly kind: 'refuse' };

const REFUSE: Decision = { kind: 'refuse' };
const apply = (next: Claim | undefined): Decision => ({ kind: 'apply', next });
const already = (claim: Claim | undefined): Decision => ({ kind: 'already', claim });

/**
 * What a write does to the item that it meets: pure, and the same for every store.
 * A DynamoDB condition is this function's `apply`, spelled in DynamoDB's words.
 */
export function transition(found: Found, write: Write): Decision {
  if (found?.status === 'newer') return REFUSE;
  switch (write.kind) {
    case 'claim':
      return claim(found, write);
    case 'take-over':
      return takeOver(found, write);
    case 'gate':
      return gate(found, write);
    case 'release':
      return release(found, write);
    case 'release-ungated':
      return releaseUngated(found, write);
    case 'hand-off':
      return handOff(found, write);
    case 'settle':
      return settle(found, write);
    case 'lease':
      return lease(found, write);
    case 'quarantine':
      return quarantine(found, write);
  }
}

/** Writes of one kind. */
export type WriteOf<K extends Write['kind']> = Extract<Write, { kind: K }>;

const sameGeneration = (found: Claim, write: Generation): boolean => found.operation === write.operation;
const isMine = (found: Claim, write: Generation & { owner: string }): boolean =>
  sameGeneration(found, write) && found.owner === write.owner;

function claim(found: Claim | undefined, write: WriteOf<'claim'>): Decision {
  if (found === undefined) return apply(write.claim);
  if (isMine(found, write.claim)) return already(found);
  return found.status === 'done' && isExpired(found.expiresAt, write.now) ? apply(write.claim) : REFUSE;
}

function takeOver(found: Claim | undefined, write: WriteOf<'take-over'>): Decision {
  if (found?.status !== 'claimed' || !sameGeneration(found, write) || found.fingerprint !== write.fingerprint)
    return REFUSE;
  if (found.owner === write.owner) return already(found);
  if (found.owner !== write.from || found.leaseUntil >= write.now) return REFUSE;
  return apply({ ...found, owner: write.owner, leaseUntil: write.leaseUntil, dueAt: write.leaseUntil });
}

function gate(found: Claim | undefined, write: WriteOf<'gate'>): Decision {
  if (found === undefined || !isMine(found, write)) return REFUSE;
  if (found.status === 'executing') return already(found);
  return found.status === 'claimed' ? apply({ ...found, status: 'executing', gate: write.gate }) : REFUSE;
}

function release(found: Claim | undefined, write: WriteOf<'release'>): Decision {
  if (found === undefined) return already(undefined);
  if (found.status !== 'claimed' || !isMine(found, write)) return REFUSE;
  return write.lapsedAt === undefined || found.leaseUntil < write.lapsedAt ? apply(undefined) : REFUSE;
}

function releaseUngated(found: Claim | undefined, write: WriteOf<'release-ungated'>): Decision {
  if (found === undefined) return already(undefined);
  return found.status === 'executing' && found.gate === undefined && isMine(found, write) ? apply(undefined) : REFUSE;
}

function handOff(found: Claim | undefined, write: WriteOf<'hand-off'>): Decision {
  if (found === undefined || !isMine(found, write)) return REFUSE;
  if (found.status === 'unknown') return already(found);
  if (found.status !== 'executing' || found.gate === undefined) return REFUSE;
  const known = write.providerRef === undefined ? {} : { providerRef: write.providerRef };
  const next: UnknownClaim = {
    ...found,
    status: 'unknown',
    gate: { ...found.gate, ...known },
    leaseUntil: write.now,
    dueAt: write.now,
  };
  return apply(next);
}

function settle(found: Claim | undefined, write: WriteOf<'settle'>): Decision {
  if (found === undefined || !sameGeneration(found, write)) return REFUSE;
  if (found.status === 'done') return sameOutcome(found.outcome, write.outcome) ? already(found) : REFUSE;
  return found.status === 'claimed' && found.owner !== write.owner ? REFUSE : apply(settled(found, write));
}

/** An open claim once its settlement has been written. */
export function settled(found: OpenClaim, write: WriteOf<'settle'>): DoneClaim {
  const { v, pk, operation, owner, fingerprint, scope, createdAt } = found;
  const gate = found.status === 'claimed' ? undefined : found.gate;
  const { outcome, response, settledBy, expiresAt } = write;
  const identity = { v, pk, operation, owner, fingerprint, scope, createdAt };
  return { ...identity, status: 'done', ...(gate && { gate }), outcome, response, settledBy, expiresAt };
}

function lease(found: Claim | undefined, write: WriteOf<'lease'>): Decision {
  if (!isOpen(found) || !sameGeneration(found, write) || found.dueAt !== write.dueWas) return REFUSE;
  return apply({ ...found, attempts: found.attempts + 1, dueAt: write.dueAt });
}

function quarantine(found: Claim | undefined, write: WriteOf<'quarantine'>): Decision {
  if (!isOpen(found) || !sameGeneration(found, write)) return REFUSE;
  const next: OpenClaim = { ...found, quarantine: write.reason, dueAt: write.dueAt };
  return apply(next);
}
