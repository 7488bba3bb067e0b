import type { Mutant } from './mutants.ts';
import type { Patch } from './patch.ts';

const ADMISSION = 'lib/idempotency/admission.ts';
const RECOVERY = 'lib/idempotency/recovery.ts';
const SCOPE = 'lib/idempotency/scope.ts';

const scopeUnchecked: Patch = {
  file: ADMISSION,
  find: 'if (found.fingerprint !== request.fingerprint || found.scope !== request.scope)',
  replace: 'if (found.fingerprint !== request.fingerprint)',
};

/** The first request is a day old when the second one comes. */
const NEXT_DAY: Mutant['where'] = { kind: 'whole', requests: 2, reconcilers: 0, faultsMax: 2, leapsMs: [90_000_000] };

/** Whose request it is, and under which key and with which parameters it goes to the provider. */
export const IDENTITY_MUTANTS: readonly Mutant[] = [
  {
    name: 'fingerprint-unchecked',
    what: 'answers another request with the answer of the first',
    patches: [
      {
        file: ADMISSION,
        find: 'if (found.fingerprint !== request.fingerprint || found.scope !== request.scope)',
        replace: 'if (found.scope !== request.scope)',
      },
    ],
  },
  {
    name: 'scope-unchecked',
    what: 'lets two principals who chose the same key meet, and does not look whose answer it is',
    patches: [
      scopeUnchecked,
      { file: SCOPE, find: "digest(['claim', ...tuple(principal), key]);", replace: "digest(['claim', key]);" },
    ],
  },
  {
    name: 'raw-provider-key',
    what: "uses the client's own key at the provider, whoever the client is",
    patches: [
      {
        file: SCOPE,
        find: "digest(['claim', ...tuple(principal), key]);",
        replace:
          "note(digest(['claim', ...tuple(principal), key]), key); const RAW = new Map(); const note = (pk, key) => (RAW.set(pk, key), pk);",
      },
      { file: SCOPE, find: "digest(['provider', pk, operation]);", replace: 'RAW.get(pk);' },
    ],
  },
  {
    name: 'provider-key-per-claim',
    what: "uses one provider key for all generations of a client's key",
    patches: [{ file: SCOPE, find: "digest(['provider', pk, operation]);", replace: "digest(['provider', pk]);" }],
  },
  {
    name: 'retention-ignored',
    what: 'sends again under a key that the provider may have forgotten',
    where: NEXT_DAY,
    patches: [
      {
        file: RECOVERY,
        find: 'now < after(sentAt, keyRetentionMs - KEY_RETENTION_MARGIN_MS);',
        replace: 'true;',
      },
    ],
  },
  {
    name: 'resend-other-parameters',
    what: 'sends again with other parameters under the same key',
    patches: [
      {
        file: RECOVERY,
        find: 'await request.effect.perform(callOf<C>(request.claim, timeoutMs));',
        replace: `await request.effect.perform({
          ...callOf<C>(request.claim, timeoutMs),
          command: { ...request.claim.gate.command, amount: 1 },
        });`,
      },
    ],
  },
  {
    name: 'resend-new-key',
    what: 'sends again under a new key',
    patches: [
      {
        file: RECOVERY,
        find: 'await request.effect.perform(callOf<C>(request.claim, timeoutMs));',
        replace:
          'await request.effect.perform({ ...callOf<C>(request.claim, timeoutMs), key: protocol.ambient.id() });',
      },
    ],
  },
  {
    name: 'resend-unseen',
    what: 'sends again without looking the effect up first',
    patches: [
      {
        file: RECOVERY,
        find: 'const found = await request.effect.lookup(callOf<C>(request.claim, timeoutMs));',
        replace: "const found = { kind: 'absent' };",
      },
    ],
  },
];
