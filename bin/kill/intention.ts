import type { IdempotencyKey } from '../../lib/idempotency/key.ts';
import { claimAddress } from '../../lib/idempotency/scope.ts';

/** How a client behaves that does not get a final answer at once. */
export type Manner =
  /** Asks again until it has one. */
  | 'patient'
  /** The same, but gives up each attempt after a moment, as a phone does that loses its network. */
  | 'hasty'
  /** The same, with two attempts at a time. */
  | 'doubled'
  /** Asks a few times at most, and is never seen again. */
  | 'forgetful';

export interface PaymentBody {
  readonly orderId: string;
  readonly amount: number;
  readonly currency: string;
  readonly paymentMethod: string;
}

/** A final answer, byte for byte. */
export interface Final {
  readonly status: number;
  readonly location: string | null;
  readonly contentType: string | null;
  readonly text: string;
}

export type End =
  | 'open'
  /** 201, or a 402 that is stored. */
  | 'final'
  /** The order was paid under another key; the key itself is free again. */
  | 'order-paid'
  | 'under-review'
  /** The client went away without an answer. */
  | 'abandoned';

/** What one customer wants once: one key, one order, one body, for all of its attempts. */
export interface Intention {
  readonly id: string;
  readonly subject: string;
  readonly key: string;
  readonly body: PaymentBody;
  readonly manner: Manner;
  /** The claim's address. */
  readonly pk: string;
  /** Distinct final answers: more than one is a violation. */
  readonly finals: Map<string, Final>;
  /** Answers that no client should ever see. */
  readonly surprises: string[];
  end: End;
  readonly history: string[];
}

export type Wish = Pick<Intention, 'id' | 'subject' | 'key' | 'body' | 'manner'>;

export const newIntention = (wish: Wish): Intention => ({
  ...wish,
  pk: claimAddress({ subject: wish.subject }, wish.key as IdempotencyKey), // Visible ASCII, made by us.
  finals: new Map(),
  surprises: [],
  end: 'open',
  history: [],
});

export function noteFinal(intention: Intention, final: Final): void {
  intention.finals.set(JSON.stringify(final), final);
}
