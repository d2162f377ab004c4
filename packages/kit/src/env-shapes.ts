import * as z from 'zod';

/** The URL of a PostgreSQL server. */
export const databaseUrl = () =>
  z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// URL is needed' });

/** The URL of a LiveKit server. LiveKit's client libraries accept both WebSocket and HTTP URLs. */
export const mediaUrl = () =>
  z.url({
    protocol: /^(wss?|https?)$/,
    error: 'a ws://, wss://, http:// or https:// URL is needed',
  });

/** A TCP port; with 0 the system chooses a free port. */
export const port = () =>
  z.coerce.number('a whole number from 0 to 65535').int().min(0).max(65_535);

/** The lowest level that is logged. */
export const logLevel = () =>
  z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error or silent');
