import type { WholeSpace } from '../explore/space.ts';
import { IDENTITY_MUTANTS } from './identity-mutants.ts';
import { MONEY_MUTANTS } from './money-mutants.ts';
import type { Patch } from './patch.ts';

/** The protocol with one rule broken. */
export interface Mutant {
  readonly name: string;
  /** What it does that the protocol must not do. */
  readonly what: string;
  readonly patches: readonly Patch[];
  /** What it does matters in rare cases only: this whole space has them all. */
  readonly where?: Omit<WholeSpace, 'dedupes'>;
}

/** Two requests, and a reconciler that works at the same time as the second one. */
const RACE: Mutant['where'] = { kind: 'whole', requests: 2, reconcilers: 1, faultsMax: 1, leapsMs: [77_000] };

const TRANSITION = 'lib/idempotency/transition.ts';
const GATED = 'lib/idempotency/gated-operation.ts';
const RECOVERY = 'lib/idempotency/recovery.ts';
const ADMISSION = 'lib/idempotency/admission.ts';

const releasesAnything: Patch = {
  file: TRANSITION,
  find: "if (found.status !== 'claimed' || !isMine(found, write)) return REFUSE; return write.lapsedAt",
  replace: "if (found.status === 'done' || !isMine(found, write)) return REFUSE; return write.lapsedAt",
};

const PROTOCOL_MUTANTS: readonly Mutant[] = [
  {
    name: 'reclaim-lapsed',
    what: 'claims a key again when the lease of an open claim has ended, also behind the gate',
    patches: [
      {
        file: TRANSITION,
        find: "return found.status === 'done' && isExpired(found.expiresAt, write.now) ?",
        replace:
          "return (found.status === 'done' ? isExpired(found.expiresAt, write.now) : found.leaseUntil < write.now) ?",
      },
      {
        file: ADMISSION,
        find: "return isGated(found) ? { kind: 'recover', claim: found } : { kind: 'pending' };",
        replace: "return { kind: 'free' };",
      },
    ],
  },
  {
    name: 'delete-on-error',
    what: 'deletes the claim when the outcome is not known, instead of handing it off',
    patches: [
      releasesAnything,
      { file: GATED, find: 'await this.#tryHandOff(reason, providerRef);', replace: 'await this.release();' },
    ],
  },
  {
    name: 'ttl-on-open',
    what: 'gives an open claim the attribute by which the table deletes items',
    patches: [
      {
        file: TRANSITION,
        find: 'if (found === undefined) return apply(write.claim);',
        replace:
          'if (found === undefined) return apply({ ...write.claim, expiresAt: Math.ceil(write.claim.leaseUntil / 1000) });',
      },
    ],
  },
  {
    name: 'gate-without-owner',
    what: 'lets whoever knows the operation through the gate',
    patches: [
      {
        file: TRANSITION,
        find: "if (found === undefined || !isMine(found, write)) return REFUSE; if (found.status === 'executing')",
        replace:
          "if (found === undefined || !sameGeneration(found, write)) return REFUSE; if (found.status === 'executing')",
      },
    ],
  },
  {
    name: 'takeover-unfenced',
    what: 'takes a claim over without a new owner, so that the old one is not stopped',
    patches: [
      {
        file: 'lib/idempotency/begin.ts',
        find: 'const owner = protocol.ambient.id();',
        replace: 'const owner = found.owner;',
      },
    ],
  },
  {
    name: 'call-before-gate',
    what: 'calls the provider first and passes the gate afterwards',
    patches: [
      {
        file: GATED,
        find: 'const passed = await this.#passGate(command);',
        replace: `const { pk, operation, scope } = this.#claim;
          const early = { providerKey: providerKeyOf(pk, operation), command, sentAt: this.#protocol.ambient.now() };
          await this.#effect.perform(callOf({ pk, operation, scope, gate: early }, 1_000));
          const passed = await this.#passGate(command);`,
      },
    ],
  },
  {
    name: 'not-found-is-failed',
    what: 'reads "not found" as "did not happen"',
    patches: [
      {
        file: RECOVERY,
        find: "return request.whenAbsent === 'close' ? closeDoor(protocol, request) : resend(protocol, request);",
        replace: 'return settle(protocol, request.effect, request.claim, NOT_PERFORMED, request.by);',
      },
    ],
  },
  {
    name: 'timeout-is-failed',
    what: 'reads a time-out as "did not happen"',
    patches: [
      {
        file: GATED,
        find: 'return this.#handOff(evidence.reason, evidence.providerRef);',
        replace: 'return this.#settle(claim, NOT_PERFORMED);',
      },
    ],
  },
  {
    name: 'refused-is-final',
    what: 'takes a refusal in validation for final without closing the key',
    where: RACE,
    patches: [
      {
        file: GATED,
        find: 'return this.#closeDoor(claim, evidence.reason);',
        replace: 'return this.#settle(claim, NOT_PERFORMED);',
      },
    ],
  },
  {
    name: 'unconditional-settle',
    what: 'writes an outcome down whatever is there',
    patches: [
      {
        file: TRANSITION,
        find: "if (found.status === 'done') return sameOutcome(found.outcome, write.outcome) ? already(found) : REFUSE;",
        replace: `if (found.status === 'done') {
          const { outcome, response, settledBy, expiresAt } = write;
          return apply({ ...found, outcome, response, settledBy, expiresAt });
        }`,
      },
    ],
  },
  {
    name: 'answer-before-durable',
    what: 'answers before the outcome is written down',
    patches: [
      {
        file: GATED,
        find: "const settlement = await settle(this.#protocol, this.#effect, claim, outcome, 'owner');",
        replace: `settle(this.#protocol, this.#effect, claim, outcome, 'owner').catch(() => {});
          const settlement = { kind: 'settled', response: this.#effect.answer(factsOf(claim), outcome) };`,
      },
    ],
  },
  {
    name: 'reconciler-releases-gated',
    what: 'lets the reconciler release whatever has lapsed, also behind the gate',
    patches: [
      releasesAnything,
      {
        file: 'lib/idempotency/due-claim.ts',
        find: "if (claim.status === 'claimed') {",
        replace: "if (claim.status !== 'done') {",
      },
    ],
  },
];

export const MUTANTS: readonly Mutant[] = [...PROTOCOL_MUTANTS, ...IDENTITY_MUTANTS, ...MONEY_MUTANTS];
