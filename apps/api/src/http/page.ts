/** Returns one page of `rows`. The caller reads one row more than `limit`, which shows whether there is a next page. */
export function toPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
): { items: Row[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
