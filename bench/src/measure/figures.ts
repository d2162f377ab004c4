import { createHistogram } from 'node:perf_hooks';

/** An hour: nothing that is measured takes longer. */
const HIGHEST_MS = 3_600_000;

export function median(values: readonly number[]): number {
  return (percentile(values, 0.5, Math.floor) + percentile(values, 0.5, Math.ceil)) / 2;
}

/** Returns the value below which `part` of the `values` lie, such as 0.99 of them; NaN if there are no values. */
export function percentile(
  values: readonly number[],
  part: number,
  round: (position: number) => number = Math.ceil,
): number {
  return values.toSorted((a, b) => a - b)[round(part * (values.length - 1))] ?? Number.NaN;
}

/** Returns the median, least and greatest ratio of the `values` to the `others` of the same rounds. */
export function ratioText(values: readonly number[], others: readonly number[], digits = 2) {
  const ratios = values.map((value, round) => value / (others[round] ?? Number.NaN));
  const [middle, least, greatest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map(
    (ratio) => ratio.toFixed(digits),
  );
  return `${middle} (${least} to ${greatest})`;
}

/** Collects latencies in constant memory. */
export class Latencies {
  readonly #histogram = createHistogram({ highest: HIGHEST_MS * 1000 });

  get count(): number {
    return this.#histogram.count;
  }

  /** Adds times in milliseconds. A time that two clocks make negative counts as 1 µs. */
  add(...times: readonly number[]): void {
    for (const ms of times) {
      this.#histogram.record(Math.min(Math.max(Math.round(ms * 1000), 1), HIGHEST_MS * 1000));
    }
  }

  percentile(part: number): number {
    return this.count === 0 ? Number.NaN : this.#histogram.percentile(part * 100) / 1000;
  }
}

/** Returns a Markdown table with aligned columns, which is also readable in a terminal. */
export function markdownTable(head: readonly string[], rows: readonly string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

export function inS(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
