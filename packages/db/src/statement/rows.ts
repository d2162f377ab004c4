interface Counted {
  readonly count: number;
}

export function nothing(): void {}

export function allRows<Row extends object>(rows: Row[]): Row[] {
  return rows;
}

export function firstRow<Row extends object>([row]: Row[]): Row | undefined {
  return row;
}

export function onlyRow<Row extends object>([row]: Row[]): Row {
  if (!row) throw new Error('the statement must return a row, but returned none');
  return row;
}

export function rowCount({ count }: Counted): number {
  return count;
}

export function hasRows({ count }: Counted): boolean {
  return count > 0;
}
