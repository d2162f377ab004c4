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
