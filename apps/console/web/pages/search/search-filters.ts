export interface SearchFilters {
  readonly q?: string;
}

export function searchFiltersOf({ q }: Readonly<Record<string, unknown>>): SearchFilters {
  // In an address `q=4471` is a number.
  const text = typeof q === 'string' || typeof q === 'number' ? String(q).trim() : '';
  return text === '' ? {} : { q: text };
}
