/**
 * So many steps at a time. Each runs several statements in the pool that requests use, too: where a new leader began thousands
 * of steps at once, requests would wait for them.
 */
const STEPS_AT_ONCE = 20;

/** Runs up to 20 steps at a time, in the order in which they were given. */
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

  /** Called by a step for a long `wait` that keeps nothing busy: leaves the slot to other steps meanwhile. */
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
