/** Undoes, in reverse, what was started; also when a later step fails, or when it is asked twice. */
export class Cleanup {
  readonly #steps: (() => unknown)[] = [];
  #running: Promise<void> | undefined;

  /** A step that is added after the end runs at once: whatever a slow start brings up late does not stay. */
  async add(step: () => unknown): Promise<void> {
    if (this.#running !== undefined) await step();
    else this.#steps.push(step);
  }

  run(): Promise<void> {
    this.#running ??= this.#undo();
    return this.#running;
  }

  async #undo(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        console.error(`While stopping: ${error}`);
      }
    }
  }
}
