import type { ProviderKind } from './configurations.ts';
import type { Question } from './spin.ts';

/** The protocol with one fault built in, which the model must find. */
export interface Mutant {
  /** The `#ifdef` in the model. */
  readonly name: string;
  /** What it does. */
  readonly sentence: string;
  readonly defines: readonly string[];
  readonly search: Exclude<Question['search'], 'safety'>;
  /** With which kinds of provider it breaks a property. The others mask it. */
  readonly unmaskedBy: readonly ProviderKind[];
}

const BOTH: readonly ProviderKind[] = ['dedupes', 'does not dedupe'];

const safety = (
  name: string,
  sentence: string,
  unmaskedBy: readonly ProviderKind[] = BOTH,
  ...defines: readonly string[]
): Mutant => ({ name, sentence, defines: ['REPEATERS=0', ...defines], search: 'shortest', unmaskedBy });

const liveness = (name: string, sentence: string): Mutant => ({
  name,
  sentence,
  defines: ['REPEATERS=0'],
  search: 'liveness',
  unmaskedBy: BOTH,
});

/** Where a mutant is about the key alone, no order is locked: the lock would stop it before money moves. */
export const MUTANTS: readonly Mutant[] = [
  safety('M_CLAIM_GATED', 'claims a key again when a lease ends behind the gate', BOTH, 'NO_ORDER'),
  safety(
    'M_TAKE_OVER_GATED',
    'takes a claim over when its lease ends behind the gate',
    ['does not dedupe'],
    'NO_ORDER',
  ),
  safety('M_DELETE_ON_ERROR', 'deletes the claim on an error behind the gate', BOTH, 'NO_ORDER'),
  safety('M_EXPIRE_OPEN', 'lets open items expire', BOTH, 'NO_ORDER', 'EXPIRIES=1'),
  safety('M_GATE_WITHOUT_OWNER', 'lets anybody pass the gate of an operation', ['does not dedupe'], 'NO_ORDER'),
  {
    name: 'M_SHORT_RETENTION',
    sentence: 'lets settled items expire while one of their claim writes is still under way',
    defines: ['NO_ORDER', 'EXPIRIES=1'],
    search: 'shortest',
    unmaskedBy: BOTH,
  },
  safety('M_RELEASE_GATED', 'releases claims behind the gate when their owner is gone', BOTH, 'NO_ORDER'),
  safety('M_CALL_WITHOUT_GATE', 'calls the provider before the gate'),
  safety('M_NOT_FOUND_IS_FAILURE', 'reads "not found" as "failed"'),
  safety('M_TIMEOUT_IS_FAILURE', 'reads "timed out" as "failed"'),
  safety('M_KEY_IN_USE_IS_CLOSED', 'reads "the key is in use" as "the door is closed"', ['dedupes']),
  safety('M_SETTLE_WITHOUT_CONDITION', 'writes an outcome down whatever is stored'),
  safety('M_ANSWER_BEFORE_SETTLING', 'answers before the outcome is written down'),
  safety('M_RAW_KEY', "sends the client's own key to the provider", ['dedupes'], 'EXPIRIES=1', 'OTHER_ORDER'),
  safety('M_FRESH_KEY', 'sends again under a new provider key', ['dedupes'], 'NO_ORDER'),
  safety('M_SEND_AGAIN_WITHOUT_DEDUPE', 'sends again where no key is remembered', ['does not dedupe'], 'NO_ORDER'),
  safety('M_ORDER_WITHOUT_LOCK', 'does not lock the order', BOTH, 'TWO_KEYS'),
  safety('M_ORDER_FREED_BY_ANYBODY', 'frees orders that others have locked', BOTH, 'TWO_KEYS', 'EXPIRIES=1'),
  liveness('M_NOBODY_RECONCILES', 'runs no reconciler'),
  liveness('M_NEVER_QUARANTINED', 'keeps trying what no machine can settle'),
];
