export function valuesFrom(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
