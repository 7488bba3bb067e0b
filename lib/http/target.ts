import type { Target } from '../idempotency/fingerprint.ts';

/** What a request is aimed at, and how earlier versions of this code named the same. */
export interface NamedTarget extends Target {
  readonly formerTargets: readonly Target[];
}

/** A route that catches every path says nothing: the path that it caught is the identity. */
const CATCH_ALL = /^\/\{[^}]+\+\}$/;
const GREEDY = /\{([^}]+)\+\}$/;

const withoutTrailingSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

/**
 * The target of a route with a pattern, such as `/payments/{id}`: the method and the pattern, then the values of its
 * parameters. A route for any method is named by the method that was sent, because REST APIs do not tell which it was.
 */
export function routedTarget(
  [verb, pattern]: readonly [verb: string, pattern: string],
  method: string,
  pathParameters: Readonly<Record<string, string | undefined>>,
): NamedTarget {
  const sent = definedOnly(pathParameters);
  const former = { route: `${verb} ${pattern}`, parameters: sent };
  const [, greedy] = GREEDY.exec(pattern) ?? [];
  const caught = greedy === undefined ? undefined : sent[greedy];
  if (greedy !== undefined && caught !== undefined && CATCH_ALL.test(pattern))
    return { route: withoutTrailingSlash(`/${caught}`), parameters: {}, formerTargets: [former] };
  const parameters =
    greedy === undefined || caught === undefined ? sent : { ...sent, [greedy]: withoutTrailingSlash(caught) };
  const route = `${verb === 'ANY' ? method : verb} ${pattern}`;
  const isRenamed = route !== former.route || parameters !== sent;
  return { route, parameters, formerTargets: isRenamed ? [former] : [] };
}

/** Without a route of its own the path is the identity; stage, base path and a trailing slash are no part of it. */
export function pathTarget(path: string, prefixes: readonly (string | undefined)[]): NamedTarget {
  const below = prefixes.reduce<string>(
    (rest, prefix) => (prefix !== undefined && rest.startsWith(`/${prefix}/`) ? rest.slice(prefix.length + 1) : rest),
    path,
  );
  return { route: withoutTrailingSlash(below), parameters: {}, formerTargets: [] };
}

const definedOnly = (record: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined));
