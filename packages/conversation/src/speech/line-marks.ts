/** Whether a line closes the block of code that `opening` began. */
export function isFence(line: string, opening: string): boolean {
  const marks = line.trim();
  return marks.startsWith(opening) && marks === opening.charAt(0).repeat(marks.length);
}

/** Whether nothing of a line is spoken: it separates a table's head, or says where a link of the text leads. */
export function isSilentLine(line: string): boolean {
  return /^[ \t]*(\|[ \t:|-]*-[ \t:|-]*|\[[^\]\n]+\]:.*)$/.test(line.trimEnd());
}

/** Returns the cells of a table's row as a sentence; undefined if the line is none. */
export function tableRow(line: string): string | undefined {
  const row = line.trim();
  if (!row.startsWith('|') || !row.endsWith('|') || row.length < 3) return undefined;
  const cells = row.slice(1, -1).split(/(?<!\\)\|/);
  const words = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return `${words.join(', ')}.`;
}
