const MAX_LENGTH = 100;

/**
 * Returns a text that another user chose in a form that is safe in a mail: without line breaks, and at most as long as
 * a name.
 */
export function inOneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
