import * as z from 'zod';

/** The address of a PostgreSQL server. */
export const databaseUrl = () =>
  z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// URL is needed' });

/** The address of a LiveKit server; its client libraries take either form. */
export const mediaUrl = () =>
  z.url({
    protocol: /^(wss?|https?)$/,
    error: 'a ws://, wss://, http:// or https:// URL is needed',
  });

/** A TCP port; 0 takes a free one. */
export const port = () =>
  z.coerce.number('a whole number from 0 to 65535').int().min(0).max(65_535);

/** What is logged: that level and all above it. */
export const logLevel = () =>
  z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error or silent');
