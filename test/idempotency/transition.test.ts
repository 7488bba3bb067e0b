import { describe, expect, it } from 'vitest';
import type {
  Claim,
  ClaimedClaim,
  DoneClaim,
  ExecutingClaim,
  Found,
  UnknownClaim,
} from '../../lib/idempotency/claim.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import { after, epochMs } from '../../lib/idempotency/time.ts';
import { transition, type Write } from '../../lib/idempotency/transition.ts';
import * as sample from '../contract/samples.ts';

const { EXPIRED, EXPIRES_AT, GATE, LAPSED, LEASE_UNTIL, NOW, RESPONSE } = sample;

const claimed: ClaimedClaim = sample.claimed('pk');
const executing: ExecutingClaim = { ...claimed, status: 'executing', gate: GATE };
const ungated: ExecutingClaim = { ...claimed, status: 'executing' };
const unknown: UnknownClaim = { ...claimed, status: 'unknown', gate: GATE };
const { leaseUntil: _lease, dueAt: _due, attempts: _attempts, ...identity } = claimed;
const { outcome } = sample.settle('pk');
const done: DoneClaim = {
  ...identity,
  status: 'done',
  gate: GATE,
  outcome,
  response: RESPONSE,
  settledBy: 'owner',
  expiresAt: EXPIRES_AT,
};
const newer: Found = { status: 'newer', v: 2, pk: 'pk' };

const writes = {
  claim: sample.claim(claimed),
  takeOver: sample.takeOver('pk'),
  gate: sample.gate('pk'),
  release: sample.release('pk'),
  releaseUngated: sample.releaseUngated('pk'),
  handOff: sample.handOff('pk'),
  settle: sample.settle('pk'),
  lease: sample.lease('pk'),
  quarantine: sample.quarantine('pk'),
};

const REFUSE = { kind: 'refuse' };
const apply = (next: Claim | undefined) => ({ kind: 'apply', next });
const already = (claim: Claim | undefined) => ({ kind: 'already', claim });

const of = (found: Found, write: Write) => transition(found, write);
const others = { operation: { operation: 'op-0' }, owner: { owner: 'rival' } };

it.each(Object.values(writes))('an item of a newer schema refuses a $kind', (write) => {
  expect(of(newer, write)).toStrictEqual(REFUSE);
});

it.each([writes.takeOver, writes.gate, writes.handOff, writes.settle, writes.lease, writes.quarantine])(
  'no item refuses a $kind',
  (write) => {
    expect(of(undefined, write)).toStrictEqual(REFUSE);
  },
);

it.each(Object.values(writes).filter(({ kind }) => kind !== 'claim'))(
  'another generation refuses a $kind from every state',
  (write) => {
    const other = { ...write, operation: 'op-0' } as Write;
    for (const found of [claimed, executing, ungated, unknown, done]) expect(of(found, other)).toStrictEqual(REFUSE);
  },
);

it('no write changes the item that it was given', () => {
  for (const found of [claimed, executing, ungated, unknown, done]) {
    const before = structuredClone(found);
    for (const write of Object.values(writes)) of(found, write);
    expect(found).toStrictEqual(before);
  }
});

describe('a claim', () => {
  const rival = sample.claim(sample.claimed('pk', 'op-2', 'rival'), EXPIRED);

  it('takes a free key', () => expect(of(undefined, writes.claim)).toStrictEqual(apply(claimed)));

  it('takes a settled key from the moment of its expiry on', () => {
    expect(of(done, rival)).toStrictEqual(apply(rival.claim));
    expect(of(done, { ...rival, now: epochMs(EXPIRED - 1) })).toStrictEqual(REFUSE);
  });

  it('never takes an open key, however old', () => {
    for (const found of [claimed, executing, ungated, unknown])
      expect(of(found, { ...rival, now: after(NOW, 1e12) })).toStrictEqual(REFUSE);
  });

  it('recognises its own item in every state', () => {
    for (const found of [claimed, executing, unknown, done])
      expect(of(found, writes.claim)).toStrictEqual(already(found));
  });

  it('does not take a takeover of its generation for its own', () => {
    expect(of({ ...claimed, owner: 'heir' }, writes.claim)).toStrictEqual(REFUSE);
  });
});

describe('a take-over', () => {
  const taken = {
    ...claimed,
    owner: 'heir',
    leaseUntil: writes.takeOver.leaseUntil,
    dueAt: writes.takeOver.leaseUntil,
  };

  it('follows a lapsed lease', () => expect(of(claimed, writes.takeOver)).toStrictEqual(apply(taken)));
  it('recognises its own item', () => expect(of(taken, writes.takeOver)).toStrictEqual(already(taken)));

  it('is refused while the lease runs, its last millisecond included', () => {
    expect(of(claimed, { ...writes.takeOver, now: LEASE_UNTIL })).toStrictEqual(REFUSE);
  });

  it('is refused to another request', () => {
    expect(of(claimed, { ...writes.takeOver, fingerprint: 'sha256:y' as Fingerprint })).toStrictEqual(REFUSE);
  });

  it('is refused after another take-over', () => {
    expect(of({ ...taken, owner: 'rival' }, writes.takeOver)).toStrictEqual(REFUSE);
  });

  it('is refused behind the gate', () => {
    for (const found of [executing, ungated, unknown, done]) expect(of(found, writes.takeOver)).toStrictEqual(REFUSE);
  });
});

describe('a gate', () => {
  it('is passed by the owner', () => expect(of(claimed, writes.gate)).toStrictEqual(apply(executing)));
  it('recognises its own item', () => expect(of(executing, writes.gate)).toStrictEqual(already(executing)));

  it('is closed to everybody else', () => {
    for (const found of [claimed, executing])
      expect(of(found, { ...writes.gate, ...others.owner })).toStrictEqual(REFUSE);
  });

  it('is passed once', () => {
    for (const found of [unknown, done]) expect(of(found, writes.gate)).toStrictEqual(REFUSE);
  });
});

describe('a release', () => {
  it('frees the key before the gate', () => expect(of(claimed, writes.release)).toStrictEqual(apply(undefined)));
  it('of a key that is free has happened', () =>
    expect(of(undefined, writes.release)).toStrictEqual(already(undefined)));

  it('is the owner’s', () => expect(of(claimed, { ...writes.release, ...others.owner })).toStrictEqual(REFUSE));

  it('never follows the gate', () => {
    for (const found of [executing, ungated, unknown, done]) expect(of(found, writes.release)).toStrictEqual(REFUSE);
  });

  it('of a lapsed claim waits for the end of the lease', () => {
    expect(of(claimed, { ...writes.release, lapsedAt: LAPSED })).toStrictEqual(apply(undefined));
    expect(of(claimed, { ...writes.release, lapsedAt: LEASE_UNTIL })).toStrictEqual(REFUSE);
  });
});

describe('a release of an ungated claim', () => {
  it('frees the key', () => expect(of(ungated, writes.releaseUngated)).toStrictEqual(apply(undefined)));

  it('of a key that is free has happened', () => {
    expect(of(undefined, writes.releaseUngated)).toStrictEqual(already(undefined));
  });

  it('is the owner’s', () => {
    expect(of(ungated, { ...writes.releaseUngated, ...others.owner })).toStrictEqual(REFUSE);
  });

  it('never frees a claim with a gate, nor one in another state', () => {
    for (const found of [executing, claimed, unknown, done])
      expect(of(found, writes.releaseUngated)).toStrictEqual(REFUSE);
  });
});

describe('a hand-off', () => {
  const dueAtOnce = { leaseUntil: writes.handOff.now, dueAt: writes.handOff.now };

  it('makes the claim due at once', () => {
    expect(of(executing, writes.handOff)).toStrictEqual(apply({ ...unknown, ...dueAtOnce }));
  });

  it('keeps the object of the provider that was learned', () => {
    const gate = { ...GATE, providerRef: 'pi_1' };
    const learned = { ...writes.handOff, providerRef: 'pi_1' };
    expect(of(executing, learned)).toStrictEqual(apply({ ...unknown, ...dueAtOnce, gate }));
    expect(of({ ...executing, gate }, writes.handOff)).toStrictEqual(apply({ ...unknown, ...dueAtOnce, gate }));
  });

  it('recognises its own item', () => expect(of(unknown, writes.handOff)).toStrictEqual(already(unknown)));
  it('is the owner’s', () => expect(of(executing, { ...writes.handOff, ...others.owner })).toStrictEqual(REFUSE));

  it('needs a gate that has passed', () => {
    for (const found of [claimed, ungated, done]) expect(of(found, writes.handOff)).toStrictEqual(REFUSE);
  });
});

describe('a settlement', () => {
  it('keeps who claimed and what was sent, and nothing of the open claim', () => {
    for (const found of [executing, unknown, { ...unknown, owner: 'me', quarantine: 'too-old' }])
      expect(of(found, writes.settle)).toStrictEqual(apply(done));
  });

  it('of an ungated claim has no gate', () => {
    const { gate: _gate, ...withoutGate } = done;
    expect(of(ungated, writes.settle)).toStrictEqual(apply(withoutGate));
  });

  it('needs no owner: whoever holds the answer writes it down', () => {
    const { owner } = { owner: 'rival' };
    expect(of({ ...unknown, owner }, writes.settle)).toStrictEqual(apply({ ...done, owner }));
  });

  it('meets the same outcome and answers with what is stored', () => {
    expect(of(done, { ...writes.settle, settledBy: 'webhook' })).toStrictEqual(already(done));
  });

  it('never changes another outcome', () => {
    expect(of(done, { ...writes.settle, outcome: { ...outcome, result: 'declined' } })).toStrictEqual(REFUSE);
    expect(of(done, { ...writes.settle, outcome: { ...outcome, ref: 'pi_2' } })).toStrictEqual(REFUSE);
  });

  it('never comes before the gate', () => expect(of(claimed, writes.settle)).toStrictEqual(REFUSE));

  it('of work that needs no gate comes from the owner of its claim, and from nobody else', () => {
    const { gate: _, ...withoutGate } = done;
    expect(of(claimed, { ...writes.settle, owner: claimed.owner })).toStrictEqual(apply(withoutGate));
    expect(of(claimed, { ...writes.settle, ...others.owner })).toStrictEqual(REFUSE);
  });
});

describe('a reconciler’s lease', () => {
  it('counts the try and moves on the due moment of every open claim', () => {
    for (const found of [claimed, executing, ungated, unknown])
      expect(of(found, writes.lease)).toStrictEqual(apply({ ...found, attempts: 1, dueAt: writes.lease.dueAt }));
  });

  it('is refused when another one was faster', () => {
    expect(of({ ...unknown, dueAt: writes.lease.dueAt }, writes.lease)).toStrictEqual(REFUSE);
  });

  it('is refused on a settled claim', () => expect(of(done, writes.lease)).toStrictEqual(REFUSE));
});

describe('a quarantine', () => {
  it('holds every open claim, with its reason', () => {
    const held = { quarantine: 'too-old', dueAt: writes.quarantine.dueAt };
    for (const found of [claimed, executing, ungated, unknown])
      expect(of(found, writes.quarantine)).toStrictEqual(apply({ ...found, ...held }));
  });

  it('is refused on a settled claim', () => expect(of(done, writes.quarantine)).toStrictEqual(REFUSE));
});
