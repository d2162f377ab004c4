/**
 * Returns the name of an agent's role as a user reads it, where no catalogue with titles is loaded: `echo-agent` is *Echo
 * agent*.
 */
export function roleTitle(role: string): string {
  const words = role.replaceAll('-', ' ').replace(/ ai$/, ' AI');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
