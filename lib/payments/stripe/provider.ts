import type { EffectCall, Evidence } from '../../idempotency/effect.ts';
import type { PaymentCommand } from '../command.ts';
import type { PaymentProvider } from '../provider.ts';
import { conclude } from './conclude.ts';
import { type Failure, readFailure } from './failure.ts';
import { findIntent } from './find.ts';
import { isDoorOf } from './reading.ts';
import { chargeRequest, closeRequest } from './requests.ts';
import { type ConnectionOptions, type OpenSession, type Session, sessions } from './session.ts';

/**
 * Stripe may prune a key once it is at least 24 hours old.
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export const STRIPE_KEY_RETENTION_MS = 24 * 60 * 60 * 1000;

/** Clocks that run on NTP differ by far less; it only widens the look-up. */
const SKEW_MS = 60_000;
/** Keeps everything that must happen while the key is remembered clear of the moment when it is forgotten. */
const MARGIN_MS = 10 * 60_000;

export interface StripeProviderOptions extends ConnectionOptions {
  /** How far Stripe's clock and ours may differ, milliseconds. @default one minute */
  readonly skewMs?: number;
  /** How long before the end of the key's retention nothing is sent under it any more. @default ten minutes */
  readonly marginMs?: number;
}

type Call = EffectCall<PaymentCommand>;

const unknown = (reason: string): Evidence => ({ kind: 'unknown', reason });

/** A failure of a request that was about to prove something else: it proves nothing. */
const asUnknown = (failure: Failure): Evidence =>
  unknown('reason' in failure ? failure.reason : 'an answer to another question');

const perform = async (session: Session, call: Call): Promise<Evidence> => {
  let intent: unknown;
  try {
    intent = await session.intents.create(chargeRequest(call), { ...session.request(), idempotencyKey: call.key });
  } catch (error) {
    const failure = readFailure(error);
    if (failure.kind !== 'intent') return failure;
    intent = failure.intent;
  }
  return conclude(session, intent, call);
};

const lookup = async (session: Session, call: Call, skewMs: number): Promise<Evidence> => {
  if (call.providerRef !== undefined) {
    return conclude(session, await session.intents.retrieve(call.providerRef, {}, session.request()), call);
  }
  const found = await findIntent(session, call, skewMs);
  if (found.kind === 'too-many') return unknown('too many payments to look through');
  return found.kind === 'absent' ? found : conclude(session, found.intent, call);
};

/** Cancels the intent that took the key up. Unconfirmed and without a payment method, it charges nobody if this fails. */
const tidyUp = async (session: Session, id: string): Promise<void> => {
  try {
    await session.intents.cancel(id, {}, session.request());
  } catch {
    // Also the usual case of a door that was closed before.
  }
};

const close = async (session: Session, call: Call): Promise<Evidence> => {
  const door = await session.intents.create(closeRequest(call.operation), {
    ...session.request(),
    idempotencyKey: call.key,
  });
  if (!isDoorOf(door, call.operation)) return unknown('the key answered with something else');
  await tidyUp(session, door.id);
  return { kind: 'closed' };
};

/** Keeps of a failure only what holds whatever was asked: it was not executed, or the key is used up. */
const weaken = (failure: Failure): Evidence =>
  failure.kind === 'not-executed' || failure.kind === 'used-up' ? failure : asUnknown(failure);

/** Opens the session and turns whatever is thrown into evidence, so that no call ever throws. */
const guarded = async (
  open: OpenSession,
  call: Call,
  ask: (session: Session, call: Call) => Promise<Evidence>,
  failed: (failure: Failure) => Evidence,
): Promise<Evidence> => {
  try {
    return await ask(await open(call), call);
  } catch (error) {
    return failed(readFailure(error));
  }
};

/**
 * Payments through Stripe's PaymentIntents, at most one charge for each key.
 *
 * Every answer is checked to belong to the call's operation, order, tenant, amount and currency. A payment that needs the
 * customer's presence is declined. Nothing is sent under a key that Stripe may be about to forget.
 *
 * @example
 * const provider = stripeProvider({ secret: () => secrets.get('stripe'), now: ambient.now });
 */
export const stripeProvider = (options: StripeProviderOptions): PaymentProvider => {
  const { now, skewMs = SKEW_MS, marginMs = MARGIN_MS } = options;
  const open = sessions(options);
  const isRemembered = ({ sentAt }: Call): boolean => now() < sentAt + STRIPE_KEY_RETENTION_MS - marginMs;

  return {
    keyRetentionMs: STRIPE_KEY_RETENTION_MS,
    perform: async (call) =>
      isRemembered(call)
        ? guarded(open, call, perform, weaken)
        : { kind: 'not-executed', reason: 'the key may be forgotten' },
    lookup: (call) => guarded(open, call, (session) => lookup(session, call, skewMs), asUnknown),
    close: async (call) =>
      isRemembered(call) ? guarded(open, call, close, weaken) : unknown('the key may be forgotten'),
  };
};
