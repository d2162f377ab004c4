const encoder = new TextEncoder();

/** Returns the size of `text` in UTF-8. A lone surrogate counts as U+FFFD, which replaces it in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}
