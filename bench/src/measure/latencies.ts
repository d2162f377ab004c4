import { createHistogram } from 'node:perf_hooks';

/** An hour: nothing that is measured takes longer. */
const HIGHEST_MS = 3_600_000;

/** How long something took, again and again, in memory that does not grow with the number of times. */
export class Latencies {
  /** In microseconds. */
  readonly #histogram = createHistogram({ highest: HIGHEST_MS * 1000 });

  get count(): number {
    return this.#histogram.count;
  }

  /** Adds times in milliseconds. Two clocks may make a time negative: it counts as zero. */
  add(...times: readonly number[]): void {
    for (const ms of times) {
      this.#histogram.record(Math.min(Math.max(Math.round(ms * 1000), 1), HIGHEST_MS * 1000));
    }
  }

  /** Returns the time in milliseconds below which `part` of all times lie (0.99, say), within 0.1 %; NaN when there are none. */
  percentile(part: number): number {
    return this.count === 0 ? Number.NaN : this.#histogram.percentile(part * 100) / 1000;
  }
}
