/** Replaces a secret in a log. */
export const MASK = '••••';
/** Shorter values are not secrets: they would occur in ordinary words. */
const MIN_LENGTH = 4;

export type Mask = (line: string) => string;

/**
 * Returns a function that replaces each of `values` in a line by `••••`: the value itself, its forms in JSON and in URLs,
 * and each line of a value with several lines. Values of fewer than four characters are not masked.
 */
export function createMask(values: readonly string[]): Mask {
  const parts = values.flatMap((value) => [value, ...value.split(/\r?\n/)]);
  const forms = parts.flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part.toWellFormed()),
  ]);
  const secrets = [...new Set(forms)]
    .filter(({ length }) => length >= MIN_LENGTH)
    // The longest first: if a secret contains another one, nothing of it may remain.
    .toSorted((a, b) => b.length - a.length);
  return (line) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), line);
}
