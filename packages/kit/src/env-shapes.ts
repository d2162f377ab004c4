import * as z from 'zod';

const DatabaseUrl = z.url({ protocol: /^postgres(ql)?$/ });

/** The hosts of a URL with several hosts, each with its port: `h1:5432,h2:5432`. */
const SEVERAL_HOSTS =
  /(?<=^postgres(?:ql)?:\/\/(?:[^@/]*@)?)[^@/?,]+:\d+(?:,[^@/?,]+:\d+)+(?=[/?]|$)/;

/** One PostgreSQL server, or several with ports: `target_session_attrs=primary` selects the one that accepts writes. */
export const databaseUrl = () =>
  z
    .string('a postgres:// URL is needed')
    .refine(isDatabaseUrl, {
      error: 'a postgres:// URL is needed',
      abort: true,
    })
    .refine((url) => ['primary', null].includes(sessionAttributes(url)), {
      error:
        'of target_session_attrs only `primary` is possible: with `read-write` the client would connect to a standby too',
      abort: true,
    })
    .refine((url) => !SEVERAL_HOSTS.test(url) || sessionAttributes(url) === 'primary', {
      error: 'with several hosts, `?target_session_attrs=primary` is needed at the end of the URL',
    });

function isDatabaseUrl(url: string): boolean {
  const single = url.replace(SEVERAL_HOSTS, 'several');
  // A remaining comma separates hosts without ports.
  return DatabaseUrl.safeParse(single).success && !new URL(single).hostname.includes(',');
}

function sessionAttributes(url: string): string | null {
  const { searchParams } = new URL(url.replace(SEVERAL_HOSTS, 'several'));
  return searchParams.get('target_session_attrs');
}

export const mediaUrl = () =>
  z.url({
    protocol: /^(wss?|https?)$/,
    error: 'a ws://, wss://, http:// or https:// URL is needed',
  });

export const port = () =>
  z.coerce.number('a whole number from 0 to 65535').int().min(0).max(65_535);

export const logLevel = () =>
  z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'debug, info, warn, error or silent');

/** How many messages per second of one sender are stored in a session; 0 means no limit. */
export const senderMessagesPerSecond = () => z.coerce.number('a number from 0').min(0).default(20);

/** Returns whether `item` is a network with its number of bits: `10.20.0.0/16`, `::1/128`. */
export function isNetwork(item: string): boolean {
  return z.union([z.cidrv4(), z.cidrv6()]).safeParse(item).success;
}
