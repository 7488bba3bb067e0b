import { type Choices, PathChoices, RandomChoices } from '../sim/choices.ts';
import { Dice } from '../sim/dice.ts';
import { exhaustiveScenario, type RandomSizes, randomScenario, type Scenario } from '../sim/scenario.ts';

/** Every schedule of some actors, with some faults, at one kind of provider. */
export interface WholeSpace {
  readonly kind: 'whole';
  readonly requests: number;
  readonly reconcilers: number;
  readonly faultsMax: number;
  readonly dedupes: boolean;
  readonly leapsMs: readonly number[];
}

/** Schedules drawn from a seed. */
export interface DrawnSpace extends RandomSizes {
  readonly kind: 'drawn';
  readonly seed: number;
}

export type Space = WholeSpace | DrawnSpace;

/** One schedule of a space: its number where it is drawn, and the choices where they are not the drawn ones. */
export interface Schedule {
  readonly space: Space;
  readonly index: number;
  readonly path: readonly number[] | undefined;
}

/** What the schedule begins with, and who decides how it goes on. */
export function beginningOf({ space, index, path }: Schedule): { scenario: Scenario; choices: Choices } {
  if (space.kind === 'whole') return { scenario: exhaustiveScenario(space), choices: new PathChoices(path ?? []) };
  const dice = new Dice(space.seed, index);
  const scenario = randomScenario(dice, space);
  const choices = path === undefined ? new RandomChoices(dice, space.faultsMax) : new PathChoices(path);
  return { scenario, choices };
}

const kindOf = (dedupes: boolean): string => (dedupes ? 'dedupe' : 'no-dedupe');

/** The text that `--replay` takes. */
export function tokenOf({ space, index, path }: Schedule): string {
  const way = path === undefined ? '' : `:${path.join('.')}`;
  const { requests, reconcilers, faultsMax, dedupes } = space;
  if (space.kind === 'whole')
    return `whole:${requests}x${reconcilers}x${faultsMax}:${kindOf(dedupes)}:${space.leapsMs.join('.')}${way}`;
  const sizes = `${requests}x${reconcilers}x${space.webhooks}x${faultsMax}`;
  return `drawn:${sizes}:${kindOf(dedupes)}:${space.seed}:${index}${way}`;
}

const numbers = (text: string | undefined, separator: string): readonly number[] =>
  text === undefined || text === '' ? [] : text.split(separator).map(Number);

export function readToken(token: string): Schedule {
  const [kind, sizes, provider, ...rest] = token.split(':');
  const [first = 0, second = 0, third = 0, fourth = 0] = numbers(sizes, 'x');
  const dedupes = provider === kindOf(true);
  const isKnown = (kind === 'whole' || kind === 'drawn') && (dedupes || provider === kindOf(false)) && rest.length > 0;
  if (!isKnown || first < 1) throw new Error(`"${token}" is no schedule. Copy the one that a failure printed.`);
  const common = { requests: first, reconcilers: second, dedupes };
  if (kind === 'whole') {
    const space: Space = { kind, ...common, faultsMax: third, leapsMs: numbers(rest[0], '.') };
    return { space, index: 0, path: numbers(rest[1], '.') };
  }
  const space: Space = { kind, ...common, webhooks: third, faultsMax: fourth, seed: Number(rest[0]) };
  return { space, index: Number(rest[1]), path: rest[2] === undefined ? undefined : numbers(rest[2], '.') };
}
