/** Returns a Markdown table with aligned columns, which is also readable in a terminal. */
export function markdownTable(head: readonly string[], rows: readonly string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Returns milliseconds as seconds, with one decimal. */
export function inS(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
