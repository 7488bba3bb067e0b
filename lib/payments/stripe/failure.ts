import Stripe from 'stripe';
import type { Evidence } from '../../idempotency/effect.ts';
import { TransportError } from './transport.ts';

/** What a failed request proves. */
export type Failure =
  | Extract<Evidence, { kind: 'outcome' | 'refused' | 'not-executed' | 'used-up' | 'unknown' }>
  /** Stripe sent the intent along, and the intent tells more than the error. */
  | { readonly kind: 'intent'; readonly intent: unknown };

/** The same key and parameters are executing at this moment, or something else holds what they need. */
const BUSY: ReadonlySet<string | undefined> = new Set(['idempotency_key_in_use', 'lock_timeout']);
/** Turned away at the gate: not executed, and not remembered. */
const TURNED_AWAY: ReadonlySet<number> = new Set([401, 403, 429]);

/** For operators: enough to find the request in Stripe's log, and nothing that a customer typed. */
const describe = ({ statusCode, code, rawType, requestId }: Stripe.errors.StripeError): string =>
  [statusCode, code ?? rawType, requestId].filter(Boolean).join(' ');

const readTransport = (error: unknown): Failure => {
  if (!(error instanceof TransportError)) return { kind: 'unknown', reason: 'connection' };
  return { kind: error.sent ? 'unknown' : 'not-executed', reason: error.message };
};

/**
 * Reads a failed request; what is no proof is `unknown`.
 *
 * Other parameters under the key prove that it is taken, and no more.
 * `Idempotent-Replayed` tells a failure that is stored under the key from one that passes: a stored 500 uses the key up,
 * and a stored refusal is the only answer that the key will ever give.
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export const readFailure = (error: unknown): Failure => {
  if (error instanceof TransportError) return readTransport(error);
  if (error instanceof Stripe.errors.StripeConnectionError) return readTransport(error.detail);
  if (!(error instanceof Stripe.errors.StripeError)) return { kind: 'unknown', reason: 'unreadable answer' };

  const status = error.statusCode ?? 0;
  const reason = describe(error) || 'unreadable answer';
  const replayed = error.headers?.['idempotent-replayed'] === 'true';
  if (status === 409 || BUSY.has(error.code)) return { kind: 'unknown', reason };
  if (error.rawType === 'idempotency_error') return { kind: 'used-up', reason };
  if (TURNED_AWAY.has(status) || error.code === 'rate_limit') return { kind: 'not-executed', reason };
  if (status >= 500) return { kind: replayed ? 'used-up' : 'unknown', reason };
  if (error.payment_intent !== undefined) return { kind: 'intent', intent: error.payment_intent };
  // A 402 without its intent was executed and is stored, so it is not a refusal in validation.
  if (status < 400 || status === 402 || error.rawType !== 'invalid_request_error') return { kind: 'unknown', reason };
  return replayed ? { kind: 'outcome', outcome: { result: 'not-performed' } } : { kind: 'refused', reason };
};
