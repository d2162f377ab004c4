export function withNew<Fields extends object>(
  rows: readonly (Fields & { readonly key: number })[],
  fields: Fields,
): (Fields & { readonly key: number })[] {
  const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
  return [...rows, { ...fields, key }];
}

export function withChanged<Row extends { readonly key: number }>(
  rows: readonly Row[],
  key: number,
  change: Partial<Omit<Row, 'key'>>,
): Row[] {
  return rows.map((row) => (row.key === key ? { ...row, ...change } : row));
}

export function without<Row extends { readonly key: number }>(
  rows: readonly Row[],
  key: number,
): Row[] {
  return rows.filter((row) => row.key !== key);
}
