import type { AnswerCache } from './answer-cache.ts';
import type { Outcome, SettledBy } from './claim.ts';
import type { Store } from './store.ts';
import type { Ambient } from './time.ts';

/** What happened, for logs and metrics. Carries operation ids only, never a key, a body or a principal. */
export type ProtocolEvent =
  | { readonly kind: 'claimed' | 'taken-over' | 'gated' | 'replayed' | 'released'; readonly operation: string }
  | { readonly kind: 'in-progress' | 'mismatch' | 'pending' | 'under-review' | 'not-enough-time' }
  | { readonly kind: 'handed-off'; readonly operation: string; readonly reason: string }
  | {
      readonly kind: 'settled';
      readonly operation: string;
      readonly result: Outcome['result'];
      readonly by: SettledBy;
    }
  | { readonly kind: 'quarantined'; readonly operation: string; readonly reason: string }
  /** Something that should be impossible, or that a person must look at; never resolved by overwriting. */
  | { readonly kind: 'anomaly'; readonly operation: string; readonly reason: string }
  | { readonly kind: 'store-error'; readonly reason: string };

/** What every part of the protocol works with. */
export interface Protocol {
  readonly store: Store;
  readonly ambient: Ambient;
  /** How long a settled key is remembered. */
  readonly retentionMs: number;
  /** Must not throw. */
  readonly observe: (event: ProtocolEvent) => void;
  /** Finished answers at hand. @default none */
  readonly cache?: AnswerCache;
}

/** Twenty-four hours, the retention that Stripe made customary. */
export const RETENTION_MS_DEFAULT = 24 * 60 * 60 * 1_000;
