import { isNetwork, StartError } from '@session/kit';
import * as z from 'zod';

const NEW_SECRET = 'create a secret with openssl rand -base64 48';
const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const SENDER = /^(?:[^\s<>@]+@[^\s<>@]+|[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>)$/;

export function listOf(items: string, example: string, isItem: (item: string) => boolean) {
  const error = `${items} are needed, with commas between them: ${example}`;
  return z
    .string()
    .transform((list) => list.split(',').map((item) => item.trim()))
    .refine((list) => list.every(isItem), { error });
}

/** Returns whether `item` is an origin. A `*` stands for any port, as in `http://localhost:*`. */
export function isOrigin(item: string): boolean {
  const origin = item.replace(/:\*$/, ':9');
  return URL.parse(origin)?.origin === origin;
}

export function isProxy(item: string): boolean {
  return isNetwork(item) || z.union([z.ipv4(), z.ipv6()]).safeParse(item).success;
}

export function wholeNumber() {
  return z.coerce.number('a whole number from 0').int().min(0);
}

export function httpUrl() {
  return z.url({ protocol: /^https?$/, error: 'an http:// or https:// URL is needed' });
}

export function consoleUrl() {
  return httpUrl()
    .refine((url) => !/[@?#]/.test(url), { error: 'remove password, query and fragment' })
    .transform((url) => url.replace(/\/+$/, ''))
    .default('http://127.0.0.1:3001');
}

export function tokenSecret(env: NodeJS.ProcessEnv) {
  return (
    z
      .string(`a secret of at least 32 bytes is needed: ${NEW_SECRET}`)
      .refine((value) => Buffer.byteLength(value) >= 32, {
        error: `at least 32 bytes are needed: ${NEW_SECRET}`,
        abort: true,
      })
      // Otherwise a token for the media server's rooms would be valid for the API.
      .refine((value) => value !== env['MEDIA_API_SECRET'], {
        error: `it must not be the MEDIA_API_SECRET: ${NEW_SECRET}`,
      })
  );
}

export function encryptionKey() {
  return z
    .string()
    .refine((value) => Buffer.byteLength(value) >= 32, {
      error: `at least 32 bytes are needed: ${NEW_SECRET}`,
    })
    .optional();
}

export function mailSender() {
  return z
    .string()
    .regex(SENDER, 'an address is needed, or a name and an address: Service <service@example.org>');
}

export function secondsOf(duration: string): number {
  const unit = Object.entries(UNIT_SECONDS).find(([letter]) => duration.endsWith(letter));
  return Number.parseInt(duration, 10) * (unit?.[1] ?? 1);
}

export function readOrNote<T>(faults: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    faults.push(error.message);
    return undefined;
  }
}
