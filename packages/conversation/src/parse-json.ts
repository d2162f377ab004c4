/** JSON of 8 KiB can have 4,000 levels, too many for recursive functions. */
export const MAX_LEVELS = 100;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether `value` could overflow the stack of recursive functions such as `JSON.stringify`. */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
