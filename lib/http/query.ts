/** Decoded name and value pairs in the order sent. */
export type Query = readonly (readonly [name: string, value: string])[];

const REPLACEMENT_CHARACTER = '\ufffd';

/** Names and values decoded; where bytes that are no UTF-8 would all decode to one character, the text as it was sent. */
export function readQuery(sent: string): Query {
  const pairs = [...new URLSearchParams(sent)];
  const isLossy = pairs.flat().some((text) => text.includes(REPLACEMENT_CHARACTER));
  return isLossy ? [[REPLACEMENT_CHARACTER, sent]] : pairs;
}

/** The members in which events of format 1.0 and of load balancers carry their query. */
export interface QueryMembers {
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
}

/** All values of all names, as the event has them. */
export function pairsOf({ queryStringParameters, multiValueQueryStringParameters }: QueryMembers): Query {
  if (multiValueQueryStringParameters)
    return Object.entries(multiValueQueryStringParameters).flatMap(([name, values]) =>
      (values ?? []).map((value): readonly [string, string] => [name, value]),
    );
  return Object.entries(queryStringParameters ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
}
