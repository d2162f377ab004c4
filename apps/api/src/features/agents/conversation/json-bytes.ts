const ELLIPSIS = '…';

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Returns a text whose JSON has at most `maxBytes`: `text` itself, or as much of its beginning as fits, with an ellipsis. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (jsonBytes(text) <= maxBytes) return text;
  let left = maxBytes - jsonBytes(ELLIPSIS);
  let cut = '';
  for (const character of text) {
    left -= jsonBytes(character) - jsonBytes('');
    if (left < 0) break;
    cut += character;
  }
  return `${cut.trimEnd()}${ELLIPSIS}`;
}

/**
 * Returns the size to which the longest of these texts must be cut, so that all texts together have at most `total`;
 * Infinity if none must be cut.
 */
export function levelFor(sizes: readonly number[], total: number): number {
  let [left, count] = [total, sizes.length];
  for (const size of sizes.toSorted((one, other) => one - other)) {
    if (size * count > left) return Math.floor(left / count);
    left -= size;
    count -= 1;
  }
  return Number.POSITIVE_INFINITY;
}
