/** A counted permit with a fair queue, in which nobody waits without an end. */
export class Slots {
  #free: number;
  readonly #waiting: ((taken: boolean) => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** True once a slot is taken, false when none became free in time. */
  take(waitMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      resolve(false);
    }, waitMs);
    const waiter = (taken: boolean) => {
      clearTimeout(timer);
      resolve(taken);
    };
    this.#waiting.push(waiter);
    return promise;
  }

  /** Hands the slot to the one who waited longest. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next(true);
    else this.#free += 1;
  }
}
