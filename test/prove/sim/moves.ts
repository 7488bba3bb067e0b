import type { Actor } from './actor.ts';
import type { CallKind } from './faults.ts';

/** A call to a port, waiting for its turn. */
export interface Call {
  readonly move: 'call';
  readonly actor: Actor;
  readonly kind: CallKind;
  readonly label: string;
  /** What the actor had seen when it made the call; its content follows from that. */
  readonly identity: number;
  /** When it was made. */
  readonly since: number;
  readonly carryOut: (how: How) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How a call is carried out when it is. */
export type How = 'well' | 'stale' | 'lagging' | 'refused' | 'stored-500';

/** What may happen next. */
export type Move =
  | { readonly move: 'start'; readonly actor: Actor }
  | Call
  /** A duplicate, or the late original, of a call whose caller was answered otherwise. */
  | { readonly move: 'ghost'; readonly call: Call }
  /** The answer to a call that was carried out. */
  | {
      readonly move: 'reply';
      readonly actor: Actor;
      readonly label: string;
      readonly deliver: () => void;
      readonly seen: unknown;
    }
  | { readonly move: 'early-timeout'; readonly actor: Actor }
  | { readonly move: 'leap' }
  | { readonly move: 'bank' };
