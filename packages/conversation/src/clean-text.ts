const CONTROL_CHARACTERS = /\p{Cc}+/gu;

/** Returns `text` on one line: control characters and line breaks become one space. Lone surrogates become U+FFFD. */
export function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(CONTROL_CHARACTERS, ' ').trim();
}

/** Returns at most `maxLength` characters (code points) of `text`; a cut text ends with `…`. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const characters = Array.from(text);
  if (characters.length <= maxLength) return text;
  return `${characters.slice(0, maxLength - 1).join('')}…`;
}

export function sizeInBytes(text: string): number {
  return Buffer.byteLength(text);
}
