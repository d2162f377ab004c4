/** Long answers are written in parts of this size, and only whole parts show how much a reader has taken. */
export const PART_BYTES = 64 * 1024;

export function* partsOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    yield bytes.subarray(from, from + PART_BYTES);
  }
}
