const EACH_MS = 5;
const MOST_MS = 500;

interface SpreadWakeOptions {
  readonly restMs?: number;
}

/**
 * When there are many recorders, each waits a random time after a notification, so that they do not claim at the same moment.
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

  set otherRecorders(count: number) {
    this.#otherRecorders = count;
  }

  notified(): void {
    if (this.#timer) return;
    const spreadMs = Math.floor(Math.random() * Math.min(EACH_MS * this.#otherRecorders, MOST_MS));
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
