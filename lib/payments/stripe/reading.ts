import type { Evidence, Facts } from '../../idempotency/effect.ts';
import type { PaymentCommand } from '../command.ts';
import { CLOSING, METADATA } from './requests.ts';

type Charged = Pick<Facts<PaymentCommand>, 'pk' | 'operation' | 'command'>;

/** What an intent says about a payment. */
export type Reading =
  | Extract<Evidence, { kind: 'outcome' | 'foreign' | 'unknown' }>
  /** Declined, but the intent could still be confirmed again: it has to be cancelled before the decline counts. */
  | { readonly kind: 'declining'; readonly ref: string; readonly code: string; readonly noted: boolean };

/** The members that are read here; nothing is taken for granted about an answer that came over the network. */
interface IntentLike {
  readonly id: string;
  readonly status: string;
  readonly amount: unknown;
  readonly currency: unknown;
  readonly cancellation_reason?: unknown;
  readonly last_payment_error?: { readonly decline_code?: unknown; readonly code?: unknown } | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** For the intents that nobody declined: they wanted the customer, and we cancelled them. */
const NEEDS_CUSTOMER = 'authentication_required';
/** The reason that our own cancellations give; nobody else would give it to an unattended payment. */
export const CANCELLED_BY_US = 'abandoned';

const isIntent = (answer: unknown): answer is IntentLike => {
  if (typeof answer !== 'object' || answer === null) return false;
  const { object, id, status, metadata } = answer as Record<string, unknown>;
  const isNamed = object === 'payment_intent' && typeof id === 'string' && typeof status === 'string';
  return isNamed && typeof metadata === 'object' && metadata !== null;
};

/** What an intent differs in from the payment that it should be. */
const difference = (intent: IntentLike, { pk, operation, command }: Charged): string | undefined => {
  const { metadata, amount, currency } = intent;
  if (metadata[METADATA.operation] !== operation) return METADATA.operation;
  if (metadata[METADATA.claim] !== pk) return METADATA.claim;
  if (metadata[METADATA.order] !== command.orderId) return METADATA.order;
  if ((metadata[METADATA.tenant] ?? null) !== command.tenant) return METADATA.tenant;
  if (amount !== command.amount) return 'amount';
  if (currency !== command.currency.toLowerCase()) return 'currency';
  return undefined;
};

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const notedCode = ({ metadata }: IntentLike): string | undefined => text(metadata[METADATA.declined]);

const reportedCode = ({ last_payment_error: error }: IntentLike): string | undefined =>
  error ? (text(error.decline_code) ?? text(error.code) ?? 'generic_decline') : undefined;

const readCancelled = (intent: IntentLike): Reading => {
  const wantedCustomer = intent.cancellation_reason === CANCELLED_BY_US ? NEEDS_CUSTOMER : undefined;
  const code = notedCode(intent) ?? reportedCode(intent) ?? wantedCustomer;
  return code === undefined
    ? { kind: 'outcome', outcome: { result: 'not-performed' } }
    : { kind: 'outcome', outcome: { result: 'declined', ref: intent.id, detail: { code } } };
};

const readOpen = (intent: IntentLike): Reading => {
  const code = notedCode(intent) ?? reportedCode(intent) ?? (intent.status === 'requires_action' ? NEEDS_CUSTOMER : '');
  if (code !== '') return { kind: 'declining', ref: intent.id, code, noted: notedCode(intent) !== undefined };
  return { kind: 'unknown', reason: `intent is in ${intent.status}`, providerRef: intent.id };
};

/**
 * Reads an intent as evidence about one payment: the same whichever call or event brought it.
 *
 * An intent that belongs to another operation, order, tenant, amount or currency is `foreign`, however well it ended.
 */
export const readIntent = (answer: unknown, payment: Charged): Reading => {
  if (!isIntent(answer)) return { kind: 'unknown', reason: 'not a payment intent' };
  const differs = difference(answer, payment);
  if (differs !== undefined) return { kind: 'foreign', reason: `${answer.id} is of another ${differs}` };
  switch (answer.status) {
    case 'succeeded':
    case 'processing':
      return {
        kind: 'outcome',
        outcome: { result: 'performed', ref: answer.id, detail: { status: answer.status } },
      };
    case 'canceled':
      return readCancelled(answer);
    case 'requires_payment_method':
    case 'requires_action':
      return readOpen(answer);
    default:
      return { kind: 'unknown', reason: `intent is in ${answer.status}`, providerRef: answer.id };
  }
};

/** Whether an intent is the operation's payment: not another one's, and not one that only closed its key. */
export const isPaymentOf = (answer: unknown, operation: string): boolean =>
  isIntent(answer) &&
  answer.metadata[METADATA.operation] === operation &&
  answer.metadata[METADATA.purpose] !== CLOSING;

/** Whether an answer proves that the operation's key is taken up by a closed door. */
export const isDoorOf = (answer: unknown, operation: string): boolean =>
  isIntent(answer) &&
  answer.metadata[METADATA.operation] === operation &&
  answer.metadata[METADATA.purpose] === CLOSING;

/** What an intent's metadata bind it to; `undefined` for one that is no payment of this service. */
export const bindingOf = (
  answer: unknown,
): { readonly ref: string; readonly claim: string; readonly operation: string } | undefined => {
  if (!isIntent(answer) || answer.metadata[METADATA.purpose] === CLOSING) return undefined;
  const claim = text(answer.metadata[METADATA.claim]);
  const operation = text(answer.metadata[METADATA.operation]);
  return claim === undefined || operation === undefined ? undefined : { ref: answer.id, claim, operation };
};
