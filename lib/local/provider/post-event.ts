import { createHmac } from 'node:crypto';
import type { Event } from './event.ts';

/** An endpoint that takes longer than this counts as one that does not answer. */
const ANSWER_MS_MAX = 10_000;

export interface WebhookEndpoint {
  readonly url: string;
  readonly secret: string;
}

/** The status of the answer, or why there was none. */
export type Posted = number | string;

export const isSuccess = (posted: Posted): boolean => typeof posted === 'number' && posted >= 200 && posted < 300;

/**
 * The value of `Stripe-Signature`: a time in seconds, and an HMAC over it and the payload.
 * @see https://docs.stripe.com/webhooks/signature
 */
const signatureHeader = (payload: string, secret: string, now: number): string => {
  const seconds = Math.floor(now / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex')}`;
};

/** Sends an event once, signed for this moment. */
export const postEvent = async (
  event: Event,
  { url, secret }: WebhookEndpoint,
  now: number,
  closing: AbortSignal,
): Promise<Posted> => {
  const body = JSON.stringify(event, null, 2);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': signatureHeader(body, secret, now),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(ANSWER_MS_MAX)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return error instanceof Error ? String(error.cause ?? error.name) : String(error);
  }
};
