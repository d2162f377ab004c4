/** How much longer a recorder may wait for each other recorder that was woken with it, and at most, in milliseconds. */
const EACH_MS = 5;
const MOST_MS = 500;

/**
 * Wakes this recorder after a notification that all recorders got. With many recorders each waits for a random time, so that
 * they do not claim at the same moment: the first one claims what is new, and the others find nothing. A few recorders hardly
 * wait at all.
 */
export class SpreadWake implements Disposable {
  readonly #wake: () => void;
  #otherRecorders = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** How many other recorders are alive. */
  set otherRecorders(count: number) {
    this.#otherRecorders = count;
  }

  /** Wakes soon, once for all notifications until then. */
  notified(): void {
    if (this.#timer) return;
    const delayMs = Math.random() * Math.min(EACH_MS * this.#otherRecorders, MOST_MS);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#wake();
    }, delayMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
