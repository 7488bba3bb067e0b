import canonicalize from 'canonicalize';
import { MisuseError } from './errors.ts';

/** Which fields of a JSON body make the request, as JSON Pointers (RFC 6901). */
export interface FieldRules {
  /** Only these. @default the whole body */
  readonly include?: readonly string[] | undefined;
  /** All but these. @default none */
  readonly exclude?: readonly string[] | undefined;
}

/** The rules go along with every fingerprint, and a claim should stay small. */
const RULES_LENGTH_MAX = 512;

const POINTER = /^(\/([^~/]|~[01])*)*$/;

const sorted = (pointers: readonly string[] | undefined): readonly string[] => [...new Set(pointers)].sort();

/**
 * The rules as text: the same for the same rules, and empty where all of every body counts.
 *
 * @throws MisuseError for what is no pointer, for a pointer that would leave nothing, and for rules that are too long.
 */
export function writeRules({ include, exclude }: FieldRules): string {
  for (const pointer of [...(include ?? []), ...(exclude ?? [])]) {
    if (!POINTER.test(pointer))
      throw new MisuseError(
        `fingerprint: ${JSON.stringify(pointer)} is no JSON Pointer. Write each field as a path from the root, for ` +
          'example /customer/address; "/" inside a name is ~1 and "~" is ~0.',
      );
  }
  if (exclude?.includes(''))
    throw new MisuseError('fingerprint: excluding the whole body would make all bodies one. Name the fields.');
  if (include?.length === 0)
    throw new MisuseError(
      'fingerprint: including no field would make all bodies one. Name the fields, or leave it out.',
    );
  const rules = {
    ...(exclude !== undefined && exclude.length > 0 && { exclude: sorted(exclude) }),
    ...(include !== undefined && { include: sorted(include) }),
  };
  const text = Object.keys(rules).length === 0 ? '' : JSON.stringify(rules);
  if (text.length > RULES_LENGTH_MAX)
    throw new MisuseError(
      `fingerprint: the rules have ${text.length} characters, and ${RULES_LENGTH_MAX} are allowed. Name parents.`,
    );
  return text;
}

/** What `writeRules` wrote; `undefined` for anything else. */
export function readRules(text: string): FieldRules | undefined {
  if (text === '') return {};
  try {
    const rules = JSON.parse(text) as FieldRules;
    return writeRules(rules) === text ? rules : undefined;
  } catch {
    return undefined;
  }
}

const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Own members only: `__proto__` and `length` are names like any other, or none. */
const has = (value: unknown, step: string): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  (Array.isArray(value) ? /^(0|[1-9]\d*)$/.test(step) : true) &&
  Object.hasOwn(value, step);

type Found = { readonly value: unknown } | undefined;

const find = (root: unknown, steps: readonly string[]): Found =>
  steps.reduce<Found>(
    (found, step) => (found !== undefined && has(found.value, step) ? { value: found.value[step] } : undefined),
    { value: root },
  );

/** An array keeps its length: what is left out is `null`, and its neighbours stay where they are. */
function remove(root: unknown, pointer: string): void {
  const steps = [...stepsOf(pointer)];
  const last = steps.pop() as string; // The empty pointer is refused, so there is one.
  const parent = find(root, steps)?.value;
  if (!has(parent, last)) return;
  if (Array.isArray(parent)) parent[Number(last)] = null;
  else delete parent[last];
}

/**
 * The fields that count of a canonical JSON text, as text. Where none of the included fields is there the whole text
 * counts, because a misspelled name must not make all bodies one.
 */
export function selectFields(canonical: string, { include, exclude = [] }: FieldRules): string {
  const root: unknown = JSON.parse(canonical);
  for (const pointer of exclude) remove(root, pointer);
  const found = sorted(include).flatMap((pointer) => {
    const field = find(root, stepsOf(pointer));
    return field === undefined ? [] : [[pointer, field.value]];
  });
  // Both are plain JSON, so there is always a text.
  return canonicalize(found.length > 0 ? { fields: found } : { body: root }) as string;
}
