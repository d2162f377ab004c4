export function isFence(line: string, opening: string): boolean {
  const marks = line.trim();
  return marks.startsWith(opening) && marks === opening.charAt(0).repeat(marks.length);
}

export function isSilentLine(line: string): boolean {
  return /^[ \t]*(\|[ \t:|-]*-[ \t:|-]*|\[[^\]\n]+\]:.*)$/.test(line.trimEnd());
}

export function tableRow(line: string): string | undefined {
  const row = line.trim();
  if (!row.startsWith('|') || !row.endsWith('|') || row.length < 3) return undefined;
  const cells = row.slice(1, -1).split(/(?<!\\)\|/);
  const words = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return `${words.join(', ')}.`;
}
