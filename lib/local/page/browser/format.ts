import { CURRENCY } from './scenarios.ts';

/** Numbers, money and time as one language writes them. */
export interface Formats {
  number(value: number): string;
  /** From minor units. */
  money(minor: number): string;
  seconds(ms: number): string;
  /** An age, in the largest unit that says something. */
  age(ms: number): string;
  time(at: number): string;
  /** Puts the number into the form that belongs to it. */
  count(forms: PluralForms, value: number): string;
}

/** By CLDR category; `{n}` is where the number goes. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** What people say instead of what dictionaries say ("Uzbekistani soms"), in the forms that a language needs. */
export interface Words {
  readonly currency: string;
  readonly second: string;
  readonly minute: string;
  readonly hour: string;
}

export function createFormats(locale: string, words: Words): Formats {
  const numbers = new Intl.NumberFormat(locale);
  const currency = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: CURRENCY,
    currencyDisplay: 'name',
    trailingZeroDisplay: 'stripIfInteger',
  });
  const digits = currency.resolvedOptions().maximumFractionDigits ?? 2;
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const rules = new Intl.PluralRules(locale);
  const amountOf = (word: string, value: number): string => word.replace('{n}', numbers.format(Math.max(0, value)));
  return {
    number: (value) => numbers.format(value),
    money: (minor) =>
      currency
        .formatToParts(minor / 10 ** digits)
        .map(({ type, value }) => (type === 'currency' ? words.currency : value))
        .join(''),
    seconds: (ms) => amountOf(words.second, Math.ceil(ms / 1000)),
    age: (ms) => {
      if (ms < MINUTE_MS) return amountOf(words.second, Math.floor(ms / 1000));
      if (ms < HOUR_MS) return amountOf(words.minute, Math.floor(ms / MINUTE_MS));
      return amountOf(words.hour, Math.floor(ms / HOUR_MS));
    },
    time: (at) => clock.format(at),
    count: (forms, value) => (forms[rules.select(value)] ?? forms.other).replace('{n}', numbers.format(value)),
  };
}
