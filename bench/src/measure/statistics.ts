/** Returns the middle of `values`, or the mean of the two in the middle; NaN when there are none. */
export function median(values: readonly number[]): number {
  return (percentile(values, 0.5, Math.floor) + percentile(values, 0.5, Math.ceil)) / 2;
}

/** Returns the value below which the `part` of `values` lies (0.99, say); NaN when there are none. */
export function percentile(
  values: readonly number[],
  part: number,
  round: (position: number) => number = Math.ceil,
): number {
  return values.toSorted((a, b) => a - b)[round(part * (values.length - 1))] ?? Number.NaN;
}

/** Returns the median of the ratios of the values to those `others` of the same round, with the least and the greatest. */
export function ratioText(values: readonly number[], others: readonly number[]): string {
  const ratios = values.map((value, round) => value / (others[round] ?? Number.NaN));
  const [middle, least, greatest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(2)} (${least.toFixed(2)} to ${greatest.toFixed(2)})`;
}
