import { parse } from 'qs';
import type { JsonObject } from '../../idempotency/json.ts';
import { type Answer, invalid } from './answer.ts';
import type { NewIntent } from './intent.ts';
import { methodNamed } from './methods.ts';

/** Form-encoded parameters: strings, lists of them, and objects of them. */
export type Params = Readonly<Record<string, unknown>>;

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly answer: Answer };

const wrong = (message: string, details: JsonObject): Parsed<never> => ({
  ok: false,
  answer: invalid(message, details),
});

export const parseForm = (form: string): Params => parse(form);

/** Stripe's limit: twelve digits. */
const AMOUNT_MAX = 999_999_999_999;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

export const optionalText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

export const isTrue = (value: unknown): boolean => value === 'true';

const amountOf = (value: unknown): Parsed<number> => {
  if (value === undefined) {
    return wrong('Missing required param: amount.', { code: 'parameter_missing', param: 'amount' });
  }
  const amount = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(amount >= 1)) return wrong('Invalid positive integer', { code: 'parameter_invalid_integer', param: 'amount' });
  if (amount > AMOUNT_MAX) {
    return wrong(`Amount must be no more than ${AMOUNT_MAX}`, { code: 'amount_too_large', param: 'amount' });
  }
  return { ok: true, value: amount };
};

const currencyOf = (value: unknown): Parsed<string> => {
  if (value === undefined) {
    return wrong('Missing required param: currency.', { code: 'parameter_missing', param: 'currency' });
  }
  const currency = String(value).toLowerCase();
  return CURRENCIES.has(currency)
    ? { ok: true, value: currency }
    : wrong(`Invalid currency: ${currency}`, { param: 'currency' });
};

/** A payment method by its name, when one is given. */
export const methodOf = (value: unknown): Parsed<string | null> => {
  const name = optionalText(value);
  return name === null || methodNamed(name) !== undefined
    ? { ok: true, value: name }
    : wrong(`No such PaymentMethod: '${name}'`, { code: 'resource_missing', param: 'payment_method' });
};

/** Metadata is text by text. */
export const metadataOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, String(member)]))
    : {};

export const newIntentOf = (params: Params): Parsed<NewIntent> => {
  const amount = amountOf(params['amount']);
  if (!amount.ok) return amount;
  const currency = currencyOf(params['currency']);
  if (!currency.ok) return currency;
  const method = methodOf(params['payment_method']);
  if (!method.ok) return method;
  const types = params['payment_method_types'];
  return {
    ok: true,
    value: {
      amount: amount.value,
      currency: currency.value,
      paymentMethod: method.value,
      paymentMethodTypes: Array.isArray(types) ? types.map(String) : ['card'],
      description: optionalText(params['description']),
      metadata: metadataOf(params['metadata']),
    },
  };
};
