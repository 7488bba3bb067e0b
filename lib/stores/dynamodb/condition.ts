/** One clause of a condition: its text, and the names and values that the text stands on. */
export interface Clause {
  readonly text: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

const on = (attribute: string, text: string, values: Clause['values'] = {}): Clause => ({
  text,
  names: { [`#${attribute}`]: attribute },
  values,
});

export const exists = (attribute: string): Clause => on(attribute, `attribute_exists(#${attribute})`);
export const missing = (attribute: string): Clause => on(attribute, `attribute_not_exists(#${attribute})`);

export const equals = (attribute: string, value: unknown): Clause =>
  on(attribute, `#${attribute} = :is_${attribute}`, { [`:is_${attribute}`]: value });
export const differs = (attribute: string, value: unknown): Clause =>
  on(attribute, `#${attribute} <> :not_${attribute}`, { [`:not_${attribute}`]: value });
export const below = (attribute: string, value: number): Clause =>
  on(attribute, `#${attribute} < :below_${attribute}`, { [`:below_${attribute}`]: value });
export const atMost = (attribute: string, value: number): Clause =>
  on(attribute, `#${attribute} <= :most_${attribute}`, { [`:most_${attribute}`]: value });

export const oneOf = (attribute: string, values: readonly string[]): Clause =>
  on(
    attribute,
    `#${attribute} IN (${values.map((value) => `:in_${value}`).join(', ')})`,
    Object.fromEntries(values.map((value) => [`:in_${value}`, value])),
  );

const joined = (clauses: readonly Clause[], operator: string): Clause => ({
  text: `(${clauses.map(({ text }) => text).join(operator)})`,
  names: Object.assign({}, ...clauses.map(({ names }) => names)),
  values: Object.assign({}, ...clauses.map(({ values }) => values)),
});

export const allOf = (...clauses: readonly Clause[]): Clause => joined(clauses, ' AND ');
export const anyOf = (...clauses: readonly Clause[]): Clause => joined(clauses, ' OR ');
