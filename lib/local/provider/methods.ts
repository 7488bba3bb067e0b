import type { Trouble } from './trouble.ts';

/** What becomes of a payment that is confirmed with a method. */
export type Verdict =
  | { readonly kind: 'succeeds' }
  | { readonly kind: 'declines'; readonly code: string; readonly declineCode: string }
  | { readonly kind: 'needs-action' }
  /** The bank takes its time: `processing` for `ms`, then the end. */
  | { readonly kind: 'processes'; readonly ms: number; readonly end: ProcessingEnd };

export type ProcessingEnd = 'succeeds' | 'fails';

/** A payment method: the issuer's verdict, and what happens to the call on its way. */
export interface Method {
  readonly verdict: Verdict;
  readonly trouble?: Trouble;
}

const succeeds: Method = { verdict: { kind: 'succeeds' } };
const declines = (code: string, declineCode: string): Method => ({ verdict: { kind: 'declines', code, declineCode } });
/** Long enough to see `processing`, short enough to wait for. */
const PROCESSING_MS = 2000;
const processes = (end: ProcessingEnd): Method => ({ verdict: { kind: 'processes', ms: PROCESSING_MS, end } });
const troubled = (name: Trouble['name'], ms = 0): Method => ({ ...succeeds, trouble: { name, ms } });

const METHODS: ReadonlyMap<string, Method> = new Map([
  // Stripe's own names for test cards.
  ['pm_card_visa', succeeds],
  ['pm_card_mastercard', succeeds],
  ['pm_card_amex', succeeds],
  ['pm_card_chargeDeclined', declines('card_declined', 'generic_decline')],
  ['pm_card_chargeDeclinedInsufficientFunds', declines('card_declined', 'insufficient_funds')],
  ['pm_card_authenticationRequired', { verdict: { kind: 'needs-action' } }],
  // Ways to lose an answer, which a test card cannot show.
  ['pm_sim_slow', troubled('slow', 2000)],
  ['pm_sim_hang', troubled('hang')],
  ['pm_sim_drop', troubled('drop_after')],
  ['pm_sim_500_before', troubled('500_before')],
  ['pm_sim_500_after', troubled('500_after')],
  ['pm_sim_500_stored', troubled('500_stored')],
  ['pm_sim_refuse', troubled('refuse')],
  ['pm_sim_lag', troubled('lag', 5000)],
  // What a bank debit does: the answer says `processing`, the outcome comes later by webhook.
  ['pm_sim_async', processes('succeeds')],
  ['pm_sim_async_fail', processes('fails')],
]);

export const methodNamed = (name: string): Method | undefined => METHODS.get(name);
