/**
 * Each step runs several statements in the pool that requests use, too. A new leader may have thousands of steps to do,
 * and requests would wait for them.
 */
const STEPS_AT_ONCE = 20;

export class StepSlots {
  #free = STEPS_AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  async run(step: () => Promise<void>): Promise<void> {
    await this.#take();
    try {
      await step();
    } finally {
      this.#giveBack();
    }
  }

  /** Frees the slot of a step until `wait` has ended, so that other steps use it meanwhile. */
  async aside(wait: Promise<void>): Promise<void> {
    this.#giveBack();
    try {
      await wait;
    } finally {
      await this.#take();
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
