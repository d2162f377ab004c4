import path from 'node:path';
import { logLevel, mediaUrl, port, readEnv } from '@session/kit';
import * as z from 'zod';

const BUILT_PAGES = path.resolve(import.meta.dirname, '../dist/web');

const Variables = z.object({
  CONSOLE_API_URL: apiAddress(),
  CONSOLE_MEDIA_URLS: mediaUrls().default([]),
  CONSOLE_PAGES_DIR: z.string().default(BUILT_PAGES),
  HOST: z.string().default('127.0.0.1'),
  PORT: port().default(3000),
  LOG_LEVEL: logLevel().default('info'),
});

export interface Config {
  /** The API's address for browsers, without a slash at its end, or its path below the console's own origin. */
  readonly apiUrl: string;
  readonly mediaUrls: readonly string[];
  readonly pagesFolder: string;
  readonly host: string;
  readonly port: number;
  readonly logLevel: z.output<typeof Variables>['LOG_LEVEL'];
}

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const variables = readEnv(Variables, env);
  return {
    apiUrl: variables.CONSOLE_API_URL,
    mediaUrls: variables.CONSOLE_MEDIA_URLS,
    pagesFolder: path.resolve(variables.CONSOLE_PAGES_DIR),
    host: variables.HOST,
    port: variables.PORT,
    logLevel: variables.LOG_LEVEL,
  };
}

function apiAddress() {
  const error =
    'the address of the API for browsers is needed: https://api.example.org, or a path such as /api';
  return z
    .string(error)
    .refine((value) => isPath(value) || isPlainUrl(value), { error })
    .transform((value) => value.replace(/\/+$/, ''));
}

function mediaUrls() {
  const error = 'ws://, wss://, http:// or https:// URLs are needed, with commas between them';
  return z
    .string()
    .transform((list) => list.split(',').map((url) => url.trim()))
    .refine((list) => list.every((url) => mediaUrl().safeParse(url).success && hasPlainHost(url)), {
      error,
    });
}

/** `//host` would be another origin. */
function isPath(value: string): boolean {
  return /^\/[\w~.-]+(?:\/[\w~.-]+)*\/?$/.test(value);
}

function isPlainUrl(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    hasPlainHost(value) &&
    `${url.username}${url.password}${url.search}${url.hash}` === ''
  );
}

/** A URL's host may contain a `;`, which ends a directive of a Content-Security-Policy. */
function hasPlainHost(url: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(URL.parse(url)?.hostname ?? '');
}
