import canonicalize from 'canonicalize';

/** Deeper nesting than any real request has; beyond it the bytes themselves are compared. */
const DEPTH_MAX = 128;

/** No double prints longer than 25 characters; beyond some zeros more, the bytes themselves are compared. */
const NUMBER_LENGTH_MAX = 40;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The RFC 8785 form of a JSON text, or `undefined` where parsing would lose what tells two requests apart: invalid
 * UTF-8, a byte order mark, broken JSON, a member named twice, a number that no double holds exactly, a lone
 * surrogate, absurd depth. Linear in the length of the text.
 */
export function canonicalJson(body: Uint8Array): string | undefined {
  try {
    const text = UTF8.decode(body);
    if (!isShallow(text)) return undefined;
    const value: unknown = JSON.parse(text);
    return isLossless(text) ? canonicalize(value) : undefined;
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index just behind the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

function isShallow(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (c === '"') at = endOfString(text, at) - 1;
    else if (c === '[' || c === '{') depth += 1;
    else if (c === ']' || c === '}') depth -= 1;
    if (depth > DEPTH_MAX) return false;
  }
  return true;
}

const NUMBER = /-?\d[-+.eE\d]*/y;
const NAME_FOLLOWS = /\s*:/y;

/** Whether a valid JSON text says nothing that its parsed value does not. */
function isLossless(text: string): boolean {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const c = text[at] as string;
    if (c === '{') open.push(new Set());
    else if (c === '}') open.pop();
    else if (c === '"') {
      const end = endOfString(text, at);
      NAME_FOLLOWS.lastIndex = end;
      if (NAME_FOLLOWS.test(text) && !isNewMember(open.at(-1), text.slice(at, end))) return false;
      at = end - 1;
    } else if (c === '-' || (c >= '0' && c <= '9')) {
      NUMBER.lastIndex = at;
      const [literal] = NUMBER.exec(text) as RegExpExecArray;
      if (!isExactNumber(literal)) return false;
      at += literal.length - 1;
    }
  }
  return true;
}

function isNewMember(members: Set<string> | undefined, token: string): boolean {
  const name: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
  if (members?.has(name)) return false;
  members?.add(name);
  return true;
}

/** Up to 15 digits every integer is a double; beyond, the literal must denote the number that its double prints as. */
const isExactNumber = (literal: string): boolean =>
  /^-?\d{1,15}$/.test(literal) ||
  (literal.length <= NUMBER_LENGTH_MAX && decimal(literal) === decimal(String(Number(literal))));

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i;

/** A decimal number as its sign, its significant digits and the power of ten of the last one; zero has no sign. */
function decimal(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
