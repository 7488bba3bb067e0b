import type { Item } from './item.ts';

/** DynamoDB writes, and bills a failed condition, in steps of this. */
export const WRITE_UNIT_BYTES = 1_024;

/** What a map or a list costs before anything is in it, and for each of its members. */
const NESTING_BYTES = 3;
const MEMBER_BYTES = 1;

/** A number takes about a byte for two of its digits, and one more; the sign and the exponent are covered by this. */
const NUMBER_BYTES_MIN = 2;

/**
 * Bytes of an item as DynamoDB counts them.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += Buffer.byteLength(name) + valueBytes(value);
  return bytes;
}

export const writeUnits = (bytes: number): number => Math.ceil(bytes / WRITE_UNIT_BYTES);

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value === 'number') return NUMBER_BYTES_MIN + Math.ceil(String(value).length / 2);
  const members = Object.entries(value as Item); // Nothing else is stored: records are not measured.
  return members.reduce(
    (bytes, [name, member]) => bytes + MEMBER_BYTES + Buffer.byteLength(name) + valueBytes(member),
    NESTING_BYTES,
  );
}
