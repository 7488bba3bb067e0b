/** One field line of a message's header. */
export type HeaderLine = readonly [name: string, value: string];

type FieldValue = string | number | boolean;

/** The members in which events and results carry their header. */
export interface HeaderMembers {
  readonly headers?: Readonly<Record<string, FieldValue | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, readonly FieldValue[] | undefined>> | null | undefined;
}

/**
 * All field lines. Where a name is in both members, `multiValueHeaders` wins: in events it has what `headers` joined
 * or dropped, and in results API Gateway reads it so.
 */
export function linesOf({ headers, multiValueHeaders }: HeaderMembers): readonly HeaderLine[] {
  const many = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value): HeaderLine => [name, String(value)]),
  );
  const named = new Set(many.map(([name]) => name.toLowerCase()));
  const single = Object.entries(headers ?? {})
    .filter(([name, value]) => value !== undefined && value !== null && !named.has(name.toLowerCase()))
    .map(([name, value]): HeaderLine => [name, String(value)]);
  return [...single, ...many];
}

/** The values of one name, whatever its case. */
export const valuesOf = (lines: readonly HeaderLine[], name: string): readonly string[] =>
  lines.filter(([sent]) => sent.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

/** The values of each name, under its first spelling. */
export function grouped(lines: readonly HeaderLine[]): readonly (readonly [name: string, values: string[]])[] {
  const groups = new Map<string, readonly [name: string, values: string[]]>();
  for (const [name, value] of lines) {
    const group = groups.get(name.toLowerCase());
    if (group === undefined) groups.set(name.toLowerCase(), [name, [value]]);
    else group[1].push(value);
  }
  return [...groups.values()];
}

/** One line for each name, for doors that know no other; a list of values is what its lines say joined by commas. */
export const joined = (lines: readonly HeaderLine[]): Record<string, string> =>
  Object.fromEntries(grouped(lines).map(([name, values]) => [name, values.join(', ')]));

/** Cookies must not be joined: their values have commas of their own (RFC 6265, section 3). */
export const isCookie = ([name]: HeaderLine): boolean => name.toLowerCase() === 'set-cookie';

/** The lines with some of them replaced; `Vary` is added to, because what the answer varied by it still does. */
export function replaced(lines: readonly HeaderLine[], by: Readonly<Record<string, string>>): readonly HeaderLine[] {
  const kept = lines.filter(([name]) => !Object.hasOwn(by, name.toLowerCase()));
  const vary = valuesOf(lines, 'vary').flatMap((names) => names.split(/\s*,\s*/));
  return [
    ...kept,
    ...Object.entries(by).map(
      ([name, value]): HeaderLine => [name, name === 'vary' ? [...new Set([...vary, value])].join(', ') : value],
    ),
  ];
}
