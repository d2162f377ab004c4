import { percentile } from './statistics.ts';

/** Times of several rounds in milliseconds, by what they measure, in the order of its first measurement. */
export class Stopwatch {
  readonly #times = new Map<string, number[]>();

  /** Adds one measurement. */
  add(name: string, ms: number): void {
    this.#times.set(name, [...(this.#times.get(name) ?? []), ms]);
  }

  /** Returns a row for each measurement: its name, p50, p95, the longest, and how many there are. */
  rows(): string[][] {
    return [...this.#times].map(([name, times]) => {
      const parts = [0.5, 0.95, 1].map((part) => `${Math.round(percentile(times, part))} ms`);
      return [name, ...parts, String(times.length)];
    });
  }
}

/** The head of a table of `rows`. */
export const TIMES_HEAD = ['from → to', 'p50', 'p95', 'longest', 'of'] as const;
