export interface Target {
  readonly kind: 'target';
  /** Decoded once, as an HTTP API does before it looks for a route. */
  readonly path: string;
  readonly query: string | undefined;
}

/** Splits a request target; one whose percent-encoding cannot be decoded is malformed. */
export function parseTarget(url: string): Target | { readonly kind: 'malformed' } {
  const origin = /^https?:\/\/[^/?]*/i.exec(url)?.[0] ?? '';
  const relative = url.slice(origin.length);
  const mark = relative.indexOf('?');
  const path = (mark < 0 ? relative : relative.slice(0, mark)) || '/';
  try {
    return { kind: 'target', path: decodeURIComponent(path), query: mark < 0 ? undefined : relative.slice(mark + 1) };
  } catch {
    return { kind: 'malformed' };
  }
}
