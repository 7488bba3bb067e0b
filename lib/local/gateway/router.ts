import type { RouteModel } from '../template/service-model.ts';

export interface RouteMatch {
  readonly route: RouteModel;
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Candidate {
  readonly route: RouteModel;
  readonly method: string;
  readonly segments: readonly string[];
}

export type Router = (method: string, path: string) => RouteMatch | undefined;

/**
 * Chooses a route as HTTP APIs do: a full match before a greedy one before `$default`, and within those the one that
 * is literal for longest; a named method before `ANY`.
 *
 * The path is the decoded one: an encoded slash parts segments, and only a greedy parameter takes it in.
 */
export function createRouter(routes: readonly RouteModel[]): Router {
  const candidates = routes.map(candidateOf).sort(moreSpecificFirst);
  return (method, path) => {
    const segments = path.split('/').slice(1);
    for (const candidate of candidates) {
      if (candidate.method !== 'ANY' && candidate.method !== method) continue;
      const pathParameters = match(candidate.segments, segments);
      if (pathParameters) return { route: candidate.route, pathParameters };
    }
    const fallback = routes.find(({ routeKey }) => routeKey === '$default');
    return fallback && { route: fallback, pathParameters: {} };
  };
}

function candidateOf(route: RouteModel): Candidate {
  const [method = '', path = ''] = route.routeKey.split(' ');
  return { route, method, segments: path.split('/').slice(1) };
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  if (pattern.length === 0) return undefined;
  for (const [at, part] of pattern.entries()) {
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    const segment = segments[at];
    if (name?.endsWith('+')) {
      const rest = segments.slice(at).join('/');
      if (rest === '') return undefined;
      parameters[name.slice(0, -1)] = rest;
      return parameters;
    }
    if (name === undefined ? part !== segment : !segment) return undefined;
    if (name !== undefined && segment !== undefined) parameters[name] = segment;
  }
  return pattern.length === segments.length ? parameters : undefined;
}

function moreSpecificFirst(a: Candidate, b: Candidate): number {
  return compare(rank(a), rank(b));
}

/** Per segment 0 for a literal, 1 for a parameter, 2 for a greedy one; then 0 for a named method, 1 for `ANY`. */
function rank({ method, segments }: Candidate): number[] {
  const kinds = segments.map((part) => (!part.startsWith('{') ? 0 : part.endsWith('+}') ? 2 : 1));
  return [kinds.at(-1) === 2 ? 1 : 0, ...kinds, method === 'ANY' ? 1 : 0];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at];
    if (other === undefined) return -1;
    if (value !== other) return value - other;
  }
  return 0;
}
