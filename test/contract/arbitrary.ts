import fc from 'fast-check';
import type { Gate, Outcome } from '../../lib/idempotency/claim.ts';
import type { Fingerprint } from '../../lib/idempotency/fingerprint.ts';
import type { DomainWrite } from '../../lib/idempotency/store.ts';
import { after, type EpochMs, type EpochSeconds } from '../../lib/idempotency/time.ts';
import type { Write } from '../../lib/idempotency/transition.ts';
import { claimed, NOW, RESPONSE } from './samples.ts';

export interface Step {
  readonly write: Write;
  readonly alongside: readonly DomainWrite[];
}

// Few values of everything, so that writes meet each other; moments around whole seconds, where units would mix.
/** Objects as programs write them: with a prototype, which strict equality looks at. */
const PLAIN = { noNullPrototype: true };

/** Mostly the same one: random writes must match each other to get past the first states. */
const mostly = <const T>(usual: T, other: T) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(other) });
const operation = mostly('op-1', 'op-2');
const owner = mostly('me', 'rival');
/** Whoever takes over is somebody else, or it would not be a take-over. */
const heir = mostly('rival', 'me');
const moment: fc.Arbitrary<EpochMs> = fc.constantFrom(-1, 0, 1, 999, 1000, 1001).map((ms) => after(NOW, ms));
const expiresAt = fc.constantFrom(0, 1, 2).map((s) => (NOW / 1000 + s) as EpochSeconds);
const fingerprint = fc.constantFrom('sha256:x', 'sha256:y').map((text) => text as Fingerprint);
const providerRef = fc.constantFrom('pi_1', 'pi_2');

const gate: fc.Arbitrary<Gate> = fc.record(
  {
    providerKey: fc.constant('key'),
    command: fc.dictionary(fc.string(), fc.string(), PLAIN),
    sentAt: moment,
    providerRef,
  },
  { ...PLAIN, requiredKeys: ['providerKey', 'command', 'sentAt'] },
);
const outcome: fc.Arbitrary<Outcome> = fc.record(
  {
    result: fc.constantFrom('performed', 'declined', 'answered'),
    ref: providerRef,
    detail: fc.constant({ b: 1, a: 2 }),
  },
  { ...PLAIN, requiredKeys: ['result'] },
);

const writeOn = (pk: string): fc.Arbitrary<Write> => {
  const generation = { pk: fc.constant(pk), operation };
  const owned = { ...generation, owner };
  const kind = <K extends Write['kind']>(name: K) => fc.constant(name);
  const claim = fc
    .record({ operation, owner, fingerprint, leaseUntil: moment, dueAt: moment })
    .chain((more) => mostly('claimed', 'executing').map((status) => ({ ...claimed(pk), ...more, status }) as const));
  // Writes that lead on to further states come often, writes that end a claim seldom.
  const leadsOn = [
    fc.record({ kind: kind('claim'), claim, now: moment }),
    fc.record({
      ...owned,
      owner: heir,
      kind: kind('take-over'),
      from: owner,
      fingerprint,
      leaseUntil: moment,
      now: moment,
    }),
    fc.record({ ...owned, kind: kind('gate'), gate }),
    fc.record(
      { ...owned, kind: kind('hand-off'), now: moment, providerRef },
      { ...PLAIN, requiredKeys: ['kind', 'pk', 'operation', 'owner', 'now'] },
    ),
    fc.record({ ...generation, kind: kind('lease'), dueWas: moment, dueAt: moment }),
    fc.record({ ...generation, kind: kind('quarantine'), reason: fc.constant('too-old'), dueAt: moment }),
  ];
  const ends = [
    fc.record(
      { ...owned, kind: kind('release'), lapsedAt: moment },
      { ...PLAIN, requiredKeys: ['kind', 'pk', 'operation', 'owner'] },
    ),
    fc.record({ ...owned, kind: kind('release-ungated') }),
    fc.record(
      {
        ...owned,
        kind: kind('settle'),
        outcome,
        response: fc.uint8Array().map((body) => ({ ...RESPONSE, body })),
        settledBy: fc.constantFrom('owner', 'webhook'),
        expiresAt,
      },
      { ...PLAIN, requiredKeys: ['kind', 'pk', 'operation', 'outcome', 'response', 'settledBy', 'expiresAt'] },
    ),
  ];
  return fc.oneof({ weight: 5, arbitrary: fc.oneof(...leadsOn) }, { weight: 1, arbitrary: fc.oneof(...ends) });
};

const domainWriteOn = (key: string): fc.Arbitrary<DomainWrite> => {
  const record = fc.record({ n: fc.constantFrom(1, 2) });
  const at = { table: fc.constant('orders'), key: fc.constant(key) };
  const expect = fc.oneof(fc.constant('absent' as const), fc.constant({}), record);
  return fc.oneof(
    fc.record({ ...at, expect, put: record }),
    fc.record({ ...at, expect, put: record, dueAt: moment }),
    fc.record({ ...at, expect, remove: fc.constant(true as const) }),
  );
};

/** Sequences of writes on two claims, some with a write on one of two records. */
export const steps = (pks: readonly string[], keys: readonly string[]): fc.Arbitrary<Step[]> => {
  const alongside = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.oneof(...keys.map(domainWriteOn)).map((write) => [write]) },
  );
  return fc.array(fc.record({ write: fc.oneof(...pks.map(writeOn)), alongside }), {
    minLength: 5,
    maxLength: 30,
    size: 'max',
  });
};
