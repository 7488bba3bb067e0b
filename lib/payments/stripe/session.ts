import Stripe from 'stripe';
import type { EffectCall } from '../../idempotency/effect.ts';
import type { EpochMs } from '../../idempotency/time.ts';
import type { PaymentCommand } from '../command.ts';
import { createTransport, TransportError } from './transport.ts';

export interface ConnectionOptions {
  /** Asked for each call, so that it can be rotated; the caller caches. */
  readonly secret: () => Promise<string>;
  /** @default https://api.stripe.com */
  readonly apiBase?: string;
  readonly now: () => EpochMs;
}

/** One call's access to Stripe: everything in it shares the call's time. */
export interface Session {
  readonly intents: Stripe['paymentIntents'];
  /** For the next request: no retries, and no longer than what is left. Throws when nothing is left. */
  request(): { readonly timeout: number; readonly maxNetworkRetries: 0 };
}

/** Opens a session; throws a `TransportError` that proves that nothing was sent when that is impossible in time. */
export type OpenSession = (call: EffectCall<PaymentCommand>) => Promise<Session>;

const addressOf = (apiBase: string): Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol'> => {
  const { protocol, hostname, port } = new URL(apiBase);
  const secure = protocol === 'https:';
  return { host: hostname, port: port || (secure ? '443' : '80'), protocol: secure ? 'https' : 'http' };
};

/** Why there is no secret is not told: the reason may quote it. */
const readSecret = (secret: () => Promise<string>, ms: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const fail = (): void => reject(new TransportError(false, 'no secret'));
    const timer = setTimeout(fail, ms);
    const work = async (): Promise<void> => {
      const value = await secret();
      if (value === '') fail();
      else resolve(value);
    };
    work()
      .catch(fail)
      .finally(() => clearTimeout(timer));
  });

export const sessions = ({ secret, apiBase = 'https://api.stripe.com', now }: ConnectionOptions): OpenSession => {
  const address = addressOf(apiBase);
  const httpClient = createTransport();
  let current: { readonly secret: string; readonly stripe: Stripe } | undefined;

  const clientFor = (value: string): Stripe => {
    if (current?.secret !== value) {
      const stripe = new Stripe(value, { ...address, httpClient, maxNetworkRetries: 0, telemetry: false });
      current = { secret: value, stripe };
    }
    return current.stripe;
  };

  return async ({ timeoutMs }) => {
    const startedAt = now();
    // A clock that is set back must not lengthen the call.
    const left = (): number => {
      const ms = Math.floor(Math.min(timeoutMs, timeoutMs - (now() - startedAt)));
      // Stripe's client reads 0 as "not set" and would take its own 80 seconds.
      if (ms < 1) throw new TransportError(false, 'no time left');
      return ms;
    };
    const stripe = clientFor(await readSecret(secret, left()));
    return { intents: stripe.paymentIntents, request: () => ({ timeout: left(), maxNetworkRetries: 0 }) };
  };
};
