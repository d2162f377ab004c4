/** The size of the parts in which long answers are written. Only whole parts show how much of an answer a reader has taken. */
export const PART_BYTES = 64 * 1024;

/** Yields `bytes` in parts of at most `PART_BYTES`, which share its memory. */
export function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    yield bytes.subarray(from, from + PART_BYTES);
  }
}
