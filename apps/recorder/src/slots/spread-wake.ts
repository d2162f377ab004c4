/** How much longer a recorder may wait for each other recorder that was woken with it, and at most, in milliseconds. */
const EACH_MS = 5;
const MOST_MS = 500;

interface SpreadWakeOptions {
  /** How long after a wake the next one comes at the earliest, in milliseconds. */
  readonly restMs?: number;
}

/**
 * Wakes this recorder after a notification that all recorders got. With many recorders each waits for a random time, so that
 * they do not claim at the same moment: the first one claims what is new, and the others find nothing. A few recorders hardly
 * wait at all.
 */
export class SpreadWake implements Disposable {
  readonly #wake: () => void;
  readonly #restMs: number;
  #wokeAt = Number.NEGATIVE_INFINITY;
  #otherRecorders = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(wake: () => void, { restMs = 0 }: SpreadWakeOptions = {}) {
    this.#wake = wake;
    this.#restMs = restMs;
  }

  /** How many other recorders are alive. */
  set otherRecorders(count: number) {
    this.#otherRecorders = count;
  }

  /** Wakes soon, once for all notifications until then. */
  notified(): void {
    if (this.#timer) return;
    const spreadMs = Math.random() * Math.min(EACH_MS * this.#otherRecorders, MOST_MS);
    const restLeftMs = this.#wokeAt + this.#restMs - performance.now();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#wokeAt = performance.now();
        this.#wake();
      },
      Math.max(spreadMs, restLeftMs),
    );
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
