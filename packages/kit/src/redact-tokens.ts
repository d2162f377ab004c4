/** Returns `text` without the JWTs in it. LiveKit's authentication errors contain the whole token. */
export function redactTokens(text: string): string {
  return text.replaceAll(/eyJ[\w-]+(?:\.[\w-]*)*/g, 'eyJ…');
}
