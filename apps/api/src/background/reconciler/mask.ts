/** What stands for a secret. */
export const MASK = '••••';
/** Shorter ones are no secrets, and would be found in every other word. */
const SHORTEST = 4;

export type Mask = (line: string) => string;

/**
 * Gives what replaces each of `values` in a line by `••••`: as it is, as JSON or an address has it, and line by line when
 * it has several. Values of less than four characters stay.
 */
export function createMask(values: readonly string[]): Mask {
  const parts = values.flatMap((value) => [value, ...value.split(/\r?\n/)]);
  const shapes = parts.flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part.toWellFormed()),
  ]);
  const secrets = [...new Set(shapes)]
    .filter(({ length }) => length >= SHORTEST)
    // One that holds another one goes first: nothing of it may stay.
    .toSorted((a, b) => b.length - a.length);
  return (line) => secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), line);
}
