import type Stripe from 'stripe';
import type { EffectCall } from '../../idempotency/effect.ts';
import type { PaymentCommand } from '../command.ts';
import { isPaymentOf } from './reading.ts';
import type { Session } from './session.ts';

/** Stripe's largest page. */
const PAGE_SIZE = 100;
/** Far more than any call has time for; whoever meets it learns that the look-up was not complete, never "absent". */
const PAGES_MAX = 50;

export type Found =
  | { readonly kind: 'found'; readonly intent: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'too-many' };

/**
 * The time when the intent can have been created, nearest first: most payments were created right when they were sent,
 * and lists are newest first, so that a busy account would bury an hour-old payment under an hour's payments.
 */
const periods = (sentAt: number, skewMs: number): readonly Stripe.RangeQueryParam[] => {
  const from = Math.floor((sentAt - skewMs) / 1000);
  const to = Math.ceil((sentAt + skewMs) / 1000);
  return [{ gte: from, lte: to }, { gt: to }];
};

/** Finds the operation's intent by listing, which is consistent; Stripe's Search lags behind. */
export const findIntent = async (
  { intents, request }: Session,
  { operation, sentAt }: EffectCall<PaymentCommand>,
  skewMs: number,
): Promise<Found> => {
  let pages = 0;
  for (const created of periods(sentAt, skewMs)) {
    let last: string | undefined;
    do {
      if (pages++ === PAGES_MAX) return { kind: 'too-many' };
      const after = last === undefined ? {} : { starting_after: last };
      const page = await intents.list({ created, limit: PAGE_SIZE, ...after }, request());
      const intent = page.data.find((candidate) => isPaymentOf(candidate, operation));
      if (intent !== undefined) return { kind: 'found', intent };
      last = page.has_more ? page.data.at(-1)?.id : undefined;
    } while (last !== undefined);
  }
  return { kind: 'absent' };
};
