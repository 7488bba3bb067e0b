import { registerHooks } from 'node:module';

/** One place of the production code, written otherwise. */
export interface Patch {
  /** From the root of the repository. */
  readonly file: string;
  /** Must be there exactly once, but for white space. */
  readonly find: string;
  readonly replace: string;
}

/** A patch that no longer fits: the code has moved on, and the patch must follow. */
export class StalePatchError extends Error {
  readonly code = 'stale-patch';
}

const ROOT = new URL('../../../', import.meta.url);

/** White space is the formatter's business. */
const loosely = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .split(/\s+/)
      .map((word) => RegExp.escape(word))
      .join('\\s+'),
    'g',
  );

export function patched(source: string, { file, find, replace }: Patch): string {
  const places = [...source.matchAll(loosely(find))].length;
  if (places !== 1) throw new StalePatchError(`${file} has ${places} places instead of one that read: ${find}`);
  return source.replace(loosely(find), () => replace);
}

/** From now on the modules of this thread are patched as they are loaded; those that are loaded already are not. */
export function patchModules(patches: readonly Patch[]): void {
  const byUrl = Map.groupBy(patches, ({ file }) => new URL(file, ROOT).href);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const due = byUrl.get(url);
      if (due === undefined) return loaded;
      const source = due.reduce((text, patch) => patched(text, patch), String(loaded.source));
      return { ...loaded, source };
    },
  });
}
