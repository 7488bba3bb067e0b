import { parseItem } from 'structured-headers';

declare const brand: unique symbol;

/** A well-formed client key: 1 to 255 visible ASCII characters. */
export type IdempotencyKey = string & { readonly [brand]: 'IdempotencyKey' };

/** Long enough for every UUID, ULID or hash in use; the limit that Stripe documents for its own keys. */
export const KEY_LENGTH_MAX = 255;

/** The header that carries a key, by the draft and most providers. */
export const KEY_HEADER = 'Idempotency-Key';

/** Tells a client that the key it sent was not looked at, so that it does not believe itself protected. */
export const IGNORED_HEADER = 'idempotency-key-ignored';

/** What a route asks of its keys, besides what every key must be. */
export interface KeyRules {
  /** Fewest characters; short keys are guessed and used twice. @default 1 */
  readonly minLength?: number | undefined;
}

export type KeyReading =
  | { readonly kind: 'key'; readonly key: IdempotencyKey }
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly reason: string };

const invalid = (reason: string): KeyReading => ({ kind: 'invalid', reason });

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The white space that HTTP allows around a field's value (RFC 9110, section 5.6.3); any other is part of the value. */
const OPTIONAL_WHITE_SPACE = /^[ \t]+|[ \t]+$/g;

/**
 * Reads the header of a key from its field lines.
 *
 * The draft makes it an RFC 9651 String (`"k"`); most clients send it bare (`k`), and both are the same key.
 * Parameters after the String carry no meaning and are ignored (RFC 9651, section 3.1.2).
 * A value that is neither is an error and is never taken for a missing key.
 */
export function readKey(lines: readonly string[], rules: KeyRules = {}): KeyReading {
  const [line, ...others] = lines;
  if (line === undefined) return { kind: 'missing' };
  if (others.length > 0) return invalid(`${lines.length} values were sent; send exactly one`);
  const value = line.replaceAll(OPTIONAL_WHITE_SPACE, '');
  return value.startsWith('"') ? readString(value, rules) : readBare(value, rules);
}

function readString(value: string, rules: KeyRules): KeyReading {
  try {
    const [item] = parseItem(value);
    return checkKey(String(item), rules);
  } catch (error) {
    return invalid(`the quoted string is malformed (${(error as Error).message})`);
  }
}

function readBare(value: string, rules: KeyRules): KeyReading {
  if (value.includes(',')) return invalid('it holds a comma, which separates two values; quote a key that has one');
  if (value.includes('"')) return invalid('it holds a quotation mark but does not begin with one');
  return checkKey(value, rules);
}

/** Checks a key that came by another way than the header, for example in a path. */
export function checkKey(key: string, { minLength = 1 }: KeyRules = {}): KeyReading {
  if (key.length === 0) return invalid('it is empty');
  if (key.length > KEY_LENGTH_MAX) return invalid(`it has ${key.length} characters, and ${KEY_LENGTH_MAX} are allowed`);
  if (!VISIBLE_ASCII.test(key)) return invalid('it holds characters other than visible ASCII (0x21 to 0x7E)');
  if (key.length < minLength)
    return invalid(`it has ${key.length} characters, and at least ${minLength} are needed: make it at random`);
  return { kind: 'key', key: key as IdempotencyKey };
}
