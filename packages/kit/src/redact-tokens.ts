/** Returns `text` without the JWTs and API keys in it. LiveKit's authentication errors contain the whole token. */
export function redactTokens(text: string): string {
  return text
    .replaceAll(/eyJ[\w-]+(?:\.[\w-]*)*/g, 'eyJ…')
    .replaceAll(/ck_([a-z2-7]{16})_[a-z2-7]+/g, 'ck_$1_…');
}
