export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * Returns whether a value is a number that JSON can contain. PostgreSQL also stores numbers that JavaScript reads as
 * infinite.
 */
export function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
