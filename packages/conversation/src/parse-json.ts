/** 8 KiB have room for 4,000 levels, too many for functions that call themselves. */
export const MAX_LEVELS = 100;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether functions that call themselves, `JSON.stringify` among them, could overflow the stack with `value`. */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
