import type { EffectCall, Evidence } from '../../lib/idempotency/effect.ts';
import { absent, closed, DECLINED, notExecuted, PERFORMED, refused, unknown } from './fake-effect.ts';

/** What becomes of one call. */
export type CallFault =
  /** Executed and answered. */
  | 'none'
  /** Executed; the answer is lost. */
  | 'lost'
  /** Never executed; the caller cannot know. */
  | 'swallowed'
  /** Executed later, when the caller has long given up. */
  | 'late'
  | 'not-executed'
  | 'refused'
  | 'declined';

export interface SimulatedProvider {
  perform(call: EffectCall): Promise<Evidence>;
  lookup(call: EffectCall): Promise<Evidence>;
  close(call: EffectCall): Promise<Evidence>;
  /** How often money moved. */
  readonly charges: () => number;
  /** From now on every call is executed and answered. */
  heal(): void;
}

export interface ProviderOptions {
  /** Faults of the next calls, in order; then none. */
  readonly faults: readonly CallFault[];
  /** Whether a key moves money once only. */
  readonly dedupes: boolean;
  /** Resolves when a late call is to be executed. */
  readonly later: () => Promise<unknown>;
}

type Remembered = 'charged' | 'declined' | 'closed';

/** A provider that remembers keys, as the protocol needs one, and whose network does its worst. */
export function simulatedProvider({ faults, dedupes, later }: ProviderOptions): SimulatedProvider {
  const remembered = new Map<string, Remembered>();
  const left = [...faults];
  let charges = 0;

  function execute(key: string, as: Remembered): Remembered {
    const known = dedupes ? remembered.get(key) : undefined;
    if (known !== undefined) return known;
    if (as === 'charged') charges += 1;
    remembered.set(key, as);
    return as;
  }

  const evidenceOf = (state: Remembered | undefined): Evidence => {
    if (state === 'charged') return { kind: 'outcome', outcome: PERFORMED };
    if (state === 'declined') return { kind: 'outcome', outcome: DECLINED };
    return absent;
  };

  return {
    charges: () => charges,
    heal: () => {
      left.length = 0;
    },
    async perform({ key }) {
      const fault = left.shift() ?? 'none';
      switch (fault) {
        case 'none':
        case 'declined':
        case 'lost': {
          const state = execute(key, fault === 'declined' ? 'declined' : 'charged');
          // A closed key answers other parameters with a conflict, which proves nothing.
          return fault === 'lost' || state === 'closed' ? unknown : evidenceOf(state);
        }
        case 'late':
          void later().then(() => execute(key, 'charged'));
          return unknown;
        case 'swallowed':
          return unknown;
        case 'not-executed':
          return notExecuted;
        case 'refused':
          return remembered.has(key) ? unknown : refused;
        default:
          return fault satisfies never;
      }
    },
    async lookup({ key }) {
      const fault = left.shift() ?? 'none';
      return fault === 'none' || fault === 'declined' ? evidenceOf(remembered.get(key)) : unknown;
    },
    async close({ key }) {
      const fault = left.shift() ?? 'none';
      if (fault === 'swallowed' || fault === 'not-executed') return unknown;
      const state = execute(key, 'closed');
      return state === 'closed' && fault !== 'lost' ? closed : unknown;
    },
  };
}
