/** Small fast random numbers (sfc32) from two numbers: the same two give the same sequence everywhere. */
export class Dice {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, index: number) {
    this.#a = seed | 0;
    this.#b = index | 0;
    this.#c = Math.floor(index / 2 ** 32) | 0;
    for (let round = 0; round < 12; round++) this.next();
  }

  /** Uniform over the 32-bit integers. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Uniform over 0 … n - 1; the bias of the remainder is below one in a hundred million. */
  below(n: number): number {
    return this.next() % n;
  }

  chance(probability: number): boolean {
    return this.next() < probability * 2 ** 32;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T; // The index is within the list.
  }
}
