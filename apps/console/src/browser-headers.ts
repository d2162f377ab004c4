import type { Config } from './config.ts';

/**
 * Returns the headers of every answer. The pages run under a Content-Security-Policy without exceptions. It allows only our own
 * scripts, styles and fonts, and only connections to this server, to the API and to LiveKit. `docs/console.md` explains each
 * header.
 */
export function browserHeaders(config: Config): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentSecurityPolicy(config),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'microphone=(self), speaker-selection=(self), camera=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function contentSecurityPolicy({ apiUrl, mediaUrls }: Config): string {
  const connections = ["'self'", ...originsOf(apiUrl), ...mediaUrls.flatMap(mediaOrigins)];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${[...new Set(connections)].join(' ')}`,
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

function originsOf(apiUrl: string): string[] {
  return apiUrl.startsWith('/') ? [] : [new URL(apiUrl).origin];
}

/** LiveKit's client library connects to the first origin. If that fails, it sends a request to the second. */
function mediaOrigins(url: string): string[] {
  const { protocol, host } = new URL(url);
  const isSecure = protocol === 'wss:' || protocol === 'https:';
  return isSecure ? [`wss://${host}`, `https://${host}`] : [`ws://${host}`, `http://${host}`];
}
