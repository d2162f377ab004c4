const SIGN_IN_PATHS = new Set([
  '/sign-in',
  '/sign-in/provider',
  '/sign-up',
  '/forgotten-password',
  '/reset-password',
]);
/** Stands for the console's own origin, which is not needed here. */
const ORIGIN = 'http://console.invalid';

/** Returns `from` if it is an address of a page of this console, and otherwise that of the first page. */
export function ownPath(from: unknown): string {
  if (typeof from !== 'string' || !from.startsWith('/') || !URL.canParse(from, ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(from, ORIGIN);
  if (origin !== ORIGIN || SIGN_IN_PATHS.has(pathname)) return '/';
  // `//host` and `/\host` are parsed as another origin, but not after the parser has removed dots: `/.//host`.
  if (pathname.startsWith('//')) return '/';
  return `${pathname}${search}${hash}`;
}
