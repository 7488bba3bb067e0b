import type { Dice } from './dice.ts';

/** Who decides what happens next. A schedule is its scenario and the numbers chosen, in order. */
export interface Choices {
  /** One of several moves; `weightOf` tells how eager the move's actor is. */
  move(count: number, weightOf: (index: number) => number): number;
  /** 0 for "all is well", or one of `count` faults. */
  fault(count: number): number;
  /** One of several possibilities that are no fault. */
  pick(count: number): number;
  /** What was chosen so far. */
  readonly taken: readonly number[];
}

/** Follows a path, then the first possibility each time; remembers how many possibilities there were. */
export class PathChoices implements Choices {
  readonly taken: number[] = [];
  readonly widths: number[] = [];
  readonly #path: readonly number[];

  constructor(path: readonly number[]) {
    this.#path = path;
  }

  /** Whether the path is behind us. */
  get isFresh(): boolean {
    return this.taken.length >= this.#path.length;
  }

  move(count: number): number {
    return this.pick(count);
  }

  fault(count: number): number {
    return this.pick(count + 1);
  }

  pick(count: number): number {
    const wanted = this.#path[this.taken.length] ?? 0;
    const chosen = wanted < count ? wanted : 0;
    this.taken.push(chosen);
    this.widths.push(count);
    return chosen;
  }
}

/** A schedule has about this many moments at which a fault may strike. */
const MOMENTS = 36;

/** Draws every choice, with the faults spread over the whole of the schedule. */
export class RandomChoices implements Choices {
  readonly taken: number[] = [];
  readonly #dice: Dice;
  readonly #strikes: readonly number[];
  readonly #isEager: boolean;
  #moment = 0;

  constructor(dice: Dice, faultsMax: number) {
    this.#dice = dice;
    const faults = dice.below(faultsMax + 1);
    this.#strikes = Array.from({ length: faults }, () => dice.below(MOMENTS));
    this.#isEager = dice.chance(0.5);
  }

  move(count: number, weightOf: (index: number) => number): number {
    return this.#keep(this.#isEager ? this.#weighted(count, weightOf) : this.#dice.below(count));
  }

  fault(count: number): number {
    const strikes = this.#strikes.includes(this.#moment++);
    return this.#keep(strikes ? 1 + this.#dice.below(count) : 0);
  }

  pick(count: number): number {
    return this.#keep(this.#dice.below(count));
  }

  #keep(choice: number): number {
    this.taken.push(choice);
    return choice;
  }

  #weighted(count: number, weightOf: (index: number) => number): number {
    let total = 0;
    for (let index = 0; index < count; index++) total += weightOf(index);
    let left = this.#dice.below(total);
    for (let index = 0; index < count; index++) {
      left -= weightOf(index);
      if (left < 0) return index;
    }
    return count - 1;
  }
}
