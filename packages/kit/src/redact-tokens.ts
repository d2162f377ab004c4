/** Gives `text` without the JWTs in it: LiveKit's errors of authentication hold the whole token. */
export function redactTokens(text: string): string {
  return text.replaceAll(/eyJ[\w-]+(?:\.[\w-]*)*/g, 'eyJ…');
}
