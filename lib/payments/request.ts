import { codes } from 'currency-codes';
import * as v from 'valibot';
import { canonicalJson } from '../idempotency/canonical-json.ts';
import type { RequestIdentity } from '../idempotency/fingerprint.ts';
import type { Problem } from '../idempotency/problems.ts';
import type { PaymentCommand } from './command.ts';
import { PAYMENT_PROBLEMS } from './problems.ts';

/** The largest amount in minor units: far below 2^53, and what the largest provider accepts in any currency. */
const AMOUNT_MAX = 999_999_999_999;

/** The provider's tokens have some 30 characters. */
const PAYMENT_METHOD_LENGTH_MAX = 128;

/** How much of a refused value is shown back. */
const SHOWN_LENGTH_MAX = 64;

const CURRENCIES: ReadonlySet<string> = new Set(codes());

const PaymentRequest = v.strictObject({
  orderId: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,64}$/, '1 to 64 visible ASCII characters')),
  amount: v.pipe(
    v.number(),
    v.integer('a whole number of minor units'),
    v.minValue(1, 'at least 1 minor unit'),
    v.maxValue(AMOUNT_MAX, `at most ${AMOUNT_MAX} minor units`),
  ),
  currency: v.pipe(
    v.string(),
    v.check((code) => CURRENCIES.has(code), 'an ISO 4217 code in upper case, for example "UZS"'),
  ),
  paymentMethod: v.pipe(
    v.string(),
    v.regex(/^[\x21-\x7e]+$/, 'visible ASCII characters, for example "pm_card_visa"'),
    v.maxLength(PAYMENT_METHOD_LENGTH_MAX, `at most ${PAYMENT_METHOD_LENGTH_MAX} characters`),
  ),
});

/** A lower maximum than the general one, in minor units, by currency. */
export type MaximumAmounts = Readonly<Record<string, number>>;

export type PaymentReading =
  | { readonly kind: 'payment'; readonly payment: Omit<PaymentCommand, 'tenant'> }
  | { readonly kind: 'refused'; readonly problem: Problem };

const refused = (detail: string, errors?: readonly Failure[]): PaymentReading => ({
  kind: 'refused',
  problem: { type: PAYMENT_PROBLEMS.requestInvalid, detail, ...(errors && { extensions: { errors } }) },
});

interface Failure {
  /** JSON Pointer (RFC 6901) to the member. */
  readonly pointer: string;
  readonly received: string;
  readonly expected: string;
}

const JSON_TYPE = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

/** Validates a payment before anything is claimed; whatever is refused here costs its client nothing. */
export function readPayment(
  { contentType, body }: Pick<RequestIdentity, 'contentType' | 'body'>,
  maximumAmounts: MaximumAmounts = {},
): PaymentReading {
  if (body.byteLength === 0) return refused('The request has no body. Send a JSON object.');
  if (!JSON_TYPE.test(contentType)) {
    const detail = `The body was sent as ${contentType === '' ? 'no media type' : shown(contentType)}. Send application/json.`;
    return { kind: 'refused', problem: { type: PAYMENT_PROBLEMS.mediaTypeUnsupported, detail } };
  }
  const json = canonicalJson(body);
  if (json === undefined) {
    return refused(
      'The body cannot be read as JSON without loss: it is broken or not UTF-8, or it names a member twice, ' +
        'is nested absurdly deep, or holds a number that a double cannot represent exactly.',
    );
  }
  const value: unknown = JSON.parse(json);
  // The schema library would ask an array for the members of an object.
  if (Array.isArray(value)) return refusal([{ pointer: '', received: 'an array', expected: 'a JSON object' }]);
  const parsed = v.safeParse(PaymentRequest, value);
  if (!parsed.success) return refusal(parsed.issues.map(failureOf));
  const { amount, currency } = parsed.output;
  const maximum = maximumAmounts[currency] ?? AMOUNT_MAX;
  const expected = `at most ${maximum} minor units of ${currency}`;
  if (amount > maximum) return refusal([{ pointer: '/amount', received: shown(amount), expected }]);
  return { kind: 'payment', payment: parsed.output };
}

function refusal(failures: readonly Failure[]): PaymentReading {
  const [first] = failures as readonly [Failure];
  const where = first.pointer === '' ? 'The body' : `The member ${first.pointer}`;
  return refused(`${where} cannot be accepted: received ${first.received}, expected ${first.expected}.`, failures);
}

function failureOf(issue: v.BaseIssue<unknown>): Failure {
  const path = issue.path ?? [];
  const pointer = path.map(({ key }) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return {
      pointer: shownText(pointer),
      received: 'an unknown member',
      expected: 'only orderId, amount, currency, paymentMethod',
    };
  }
  if (issue.input === undefined) return { pointer, received: 'nothing', expected: 'a value: the member is required' };
  const expected = issue.kind === 'schema' ? expectedType(issue.expected) : issue.message;
  return { pointer, received: shown(issue.input), expected };
}

const expectedType = (expected: string | null): string => (expected === 'Object' ? 'a JSON object' : `a ${expected}`);

const shownText = (text: string): string =>
  text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;

const shown = (value: unknown): string => shownText(JSON.stringify(value));
