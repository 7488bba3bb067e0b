import type { EffectCall, Evidence } from '../../idempotency/effect.ts';
import type { PaymentCommand } from '../command.ts';
import { CANCELLED_BY_US, type Reading, readIntent } from './reading.ts';
import { METADATA } from './requests.ts';
import type { Session } from './session.ts';

type Declining = Extract<Reading, { kind: 'declining' }>;

/** Notes the code, then cancels, in this order: a cancelled intent takes no notes, and has forgotten its error. */
const noteAndCancel = async ({ intents, request }: Session, { ref, code, noted }: Declining): Promise<unknown> => {
  if (!noted) await intents.update(ref, { metadata: { [METADATA.declined]: code } }, request());
  return intents.cancel(ref, { cancellation_reason: CANCELLED_BY_US }, request());
};

const cancelled = async (session: Session, declining: Declining): Promise<unknown> => {
  try {
    return await noteAndCancel(session, declining);
  } catch {
    // Somebody else may have cancelled it, or it may have succeeded meanwhile: the intent itself knows.
    return session.intents.retrieve(declining.ref, {}, session.request());
  }
};

/**
 * Draws the conclusion from an intent, and makes a decline final.
 *
 * A declined intent goes back to `requires_payment_method` and could be confirmed again, so it is cancelled before the
 * decline is reported. Where that fails the payment stays unknown.
 */
export const conclude = async (
  session: Session,
  intent: unknown,
  call: EffectCall<PaymentCommand>,
): Promise<Evidence> => {
  const first = readIntent(intent, call);
  if (first.kind !== 'declining') return first;
  try {
    const last = readIntent(await cancelled(session, first), call);
    if (last.kind !== 'declining') return last;
  } catch {
    // Falls through: not cancelled as far as anybody knows.
  }
  return { kind: 'unknown', reason: `declined (${first.code}) but not cancelled`, providerRef: first.ref };
};
