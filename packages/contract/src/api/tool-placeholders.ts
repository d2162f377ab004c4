export const VARIABLE = '[a-z][a-zA-Z0-9_]{0,31}';
export const ARGUMENT = '[A-Za-z][A-Za-z0-9_-]{0,63}';
export const SECRET = '[A-Z_][A-Z0-9_]{0,63}';

const VARIABLES = new RegExp(`\\{\\{(${VARIABLE})\\}\\}`, 'g');
const SECRETS = new RegExp(`\\{\\{env\\.(${SECRET})\\}\\}`, 'g');
const ARGUMENTS = new RegExp(`\\{(${ARGUMENT})\\}`, 'g');
/** Scheme, host and port of a URL, without user or braces. Brackets enclose an IPv6 address. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?=[/?]|$)/i;
const FORBIDDEN_IN_URL = /[\s#\\<>"`^|\p{Cc}]/u;

/** Returns the names of the variables (`{{name}}`) in `text`. */
export function variablesIn(text: string): string[] {
  return Array.from(text.matchAll(VARIABLES), ([, name = '']) => name);
}

/**
 * Returns `text` with its variables (`{{name}}`) replaced by what `valueFor` returns. Variables in these values are not
 * replaced.
 */
export function fillVariables(text: string, valueFor: (name: string) => string): string {
  return text.replaceAll(VARIABLES, (_, name: string) => valueFor(name));
}

/** Returns the names of the arguments (`{name}`) in `url`. */
export function argumentsIn(url: string): string[] {
  return Array.from(url.replaceAll(VARIABLES, '').matchAll(ARGUMENTS), ([, name = '']) => name);
}

/** Returns `url` with its arguments (`{name}`) replaced by what `valueFor` returns. */
export function fillArguments(url: string, valueFor: (name: string) => string): string {
  return url.replaceAll(ARGUMENTS, (_, name: string) => valueFor(name));
}

/** Returns the names of the secrets (`{{env.NAME}}`) in the value of a header; undefined if it has other braces. */
export function secretsIn(value: string): string[] | undefined {
  if (hasBraces(value.replaceAll(SECRETS, ''))) return undefined;
  return Array.from(value.matchAll(SECRETS), ([, name = '']) => name);
}

/** Returns the names of the secrets that a tool with these headers sends. */
export function secretsOfHeaders(headers: Readonly<Record<string, string>> = {}): string[] {
  return [...new Set(Object.values(headers).flatMap((value) => secretsIn(value) ?? []))];
}

/** Returns whether `hosts`, each with or without a port, contain the host of a tool's URL. */
export function hasHostOf(url: string, hosts: readonly string[] = []): boolean {
  const { host, hostname, port, protocol } = new URL(url.replaceAll(/[{}]/g, ''));
  const withPort = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  return hosts.includes(host) || hosts.includes(withPort);
}

/** Returns `value` with its secrets (`{{env.NAME}}`) replaced by what `valueFor` returns. */
export function fillSecrets(value: string, valueFor: (name: string) => string): string {
  return value.replaceAll(SECRETS, (_, name: string) => valueFor(name));
}

export function hasOnlyVariables(text: string): boolean {
  return !hasBraces(text.replaceAll(VARIABLES, ''));
}

export function hasLiteralHost(url: string): boolean {
  const [origin] = ORIGIN.exec(url) ?? [];
  return origin !== undefined && URL.canParse(origin);
}

/** Returns whether `url` is a URL when its placeholders are filled in. */
export function isUrl(url: string): boolean {
  // A variable becomes `%78`, which no argument's name contains, so `{{{name}}}` keeps its outer braces.
  const filled = url.replaceAll(VARIABLES, '%78').replaceAll(ARGUMENTS, 'x');
  return !hasBraces(filled) && !FORBIDDEN_IN_URL.test(filled) && URL.canParse(filled);
}

function hasBraces(text: string): boolean {
  return /[{}]/.test(text);
}
