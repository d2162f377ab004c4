import { useSyncExternalStore } from 'react';

/** Calls its listeners at an interval, for as long as there are any. */
class Ticker {
  #now = Date.now();
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #intervalMs: number;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#tick(), this.#intervalMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };

  readonly getSnapshot = (): number => {
    // Without a timer nothing else keeps the time.
    if (this.#timer === undefined) this.#now = this.#rounded();
    return this.#now;
  };

  #tick(): void {
    this.#now = this.#rounded();
    for (const listener of this.#listeners) listener();
  }

  #rounded(): number {
    return Math.floor(Date.now() / this.#intervalMs) * this.#intervalMs;
  }
}

const seconds = new Ticker(1000);
const halfMinutes = new Ticker(30_000);

/** Returns the time now, up to date by the second or by the half minute. All components share two timers. */
export function useNow(unit: 'second' | 'half-minute' = 'half-minute'): number {
  const ticker = unit === 'second' ? seconds : halfMinutes;
  return useSyncExternalStore(ticker.subscribe, ticker.getSnapshot);
}
