const encoder = new TextEncoder();

/** Returns how many bytes `text` takes in UTF-8. A lone surrogate counts as U+FFFD, which is sent in its stead. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}
