import path from 'node:path';
import {
  databaseUrl,
  type InternalAddress,
  logLevel,
  mediaUrl,
  port,
  readEnv,
  StartError,
  senderMessagesPerSecond,
} from '@session/kit';
import type { MediaKey, MediaServer } from '@session/media';
import { readTraceConfig, type TraceConfig } from '@session/traces';
import * as z from 'zod';

const Variables = z.object({
  DATABASE_URL: databaseUrl(),
  DATABASE_DIRECT_URL: databaseUrl().optional(),
  MEDIA_URL: mediaUrl(),
  MEDIA_API_KEY: z.string('an API key of the media server is needed').min(1),
  MEDIA_API_SECRET: z.string('the secret of MEDIA_API_KEY is needed').min(1),
  MEDIA_API_KEY_PREVIOUS: z.string().optional(),
  MEDIA_API_SECRET_PREVIOUS: z.string().optional(),
  HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port().default(0),
  WEBHOOK_PORT: port().optional(),
  LOG_LEVEL: logLevel().default('info'),
  RECORDER_CAPACITY: z.coerce.number('a whole number from 1').int().min(1).default(200),
  RECORDER_REDUNDANCY: z.coerce.number('a whole number from 1 to 9').int().min(1).max(9).default(1),
  RECORDER_MAX_RSS_MB: z.coerce.number('megabytes, from 64').min(64).optional(),
  RECORDER_SPOOL_DIR: z.string().default(path.join('.local', 'recorder')),
  SENDER_MESSAGES_PER_SECOND: senderMessagesPerSecond(),
  RECORDER_SPOOL_MAX_MB: z.coerce.number('megabytes, from 1').min(1).default(256),
});

export interface Config {
  readonly databaseUrl: string;
  /**
   * The URL of PostgreSQL itself, for migrations and LISTEN. `databaseUrl` may name a pooler. Both URLs are secrets.
   */
  readonly databaseDirectUrl: string;
  readonly media: MediaServer;
  readonly webhookKeys: readonly MediaKey[];
  readonly internal: InternalAddress;
  readonly webhooks: InternalAddress | undefined;
  readonly logLevel: z.output<typeof Variables>['LOG_LEVEL'];
  readonly capacity: number;
  readonly redundancy: number;
  /** Above this memory the recorder stops, in order to be restarted. If undefined, `defaultMaxRss` applies. */
  readonly maxRssBytes: number | undefined;
  readonly spoolFolder: string;
  readonly spoolBytes: number;
  readonly senderMessagesPerSecond: number;
  readonly tracing: TraceConfig | undefined;
}

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const variables = readEnv(Variables, env);
  return {
    databaseUrl: variables.DATABASE_URL,
    databaseDirectUrl: variables.DATABASE_DIRECT_URL ?? variables.DATABASE_URL,
    media: {
      url: variables.MEDIA_URL,
      apiKey: variables.MEDIA_API_KEY,
      apiSecret: variables.MEDIA_API_SECRET,
    },
    webhookKeys: webhookKeys(variables),
    internal: { host: variables.HOST, port: variables.METRICS_PORT },
    webhooks: webhookAddress(variables),
    logLevel: variables.LOG_LEVEL,
    capacity: variables.RECORDER_CAPACITY,
    redundancy: variables.RECORDER_REDUNDANCY,
    maxRssBytes: variables.RECORDER_MAX_RSS_MB && variables.RECORDER_MAX_RSS_MB * 1024 * 1024,
    spoolFolder: path.resolve(variables.RECORDER_SPOOL_DIR),
    spoolBytes: variables.RECORDER_SPOOL_MAX_MB * 1024 * 1024,
    senderMessagesPerSecond: variables.SENDER_MESSAGES_PER_SECOND,
    tracing: readTraceConfig(env),
  };
}

function webhookAddress({
  HOST: host,
  METRICS_PORT,
  WEBHOOK_PORT,
}: z.output<typeof Variables>): InternalAddress | undefined {
  const isOwn = WEBHOOK_PORT === 0 || WEBHOOK_PORT !== METRICS_PORT;
  if (WEBHOOK_PORT === undefined || !isOwn) return undefined;
  return { host, port: WEBHOOK_PORT, portVariable: 'WEBHOOK_PORT' };
}

function webhookKeys(variables: z.output<typeof Variables>): MediaKey[] {
  const { MEDIA_API_KEY: apiKey, MEDIA_API_SECRET: apiSecret } = variables;
  const { MEDIA_API_KEY_PREVIOUS: otherKey, MEDIA_API_SECRET_PREVIOUS: otherSecret } = variables;
  const own = { apiKey, apiSecret };
  if (otherKey && otherSecret) return [own, { apiKey: otherKey, apiSecret: otherSecret }];
  if (!otherKey && !otherSecret) return [own];
  const [missing, given] = otherKey ? ['SECRET', 'KEY'] : ['KEY', 'SECRET'];
  throw new StartError(
    `MEDIA_API_${missing}_PREVIOUS is not set: MEDIA_API_${given}_PREVIOUS needs it`,
  );
}

/**
 * Loads the configuration of a maintenance program that works on a running recorder's folder. Throws as `loadConfig`
 * does.
 */
export function loadFolderConfig(
  env: NodeJS.ProcessEnv,
): Pick<Config, 'databaseDirectUrl' | 'spoolFolder'> {
  const needed = Variables.pick({
    DATABASE_URL: true,
    DATABASE_DIRECT_URL: true,
    RECORDER_SPOOL_DIR: true,
  });
  const variables = readEnv(needed, env);
  return {
    databaseDirectUrl: variables.DATABASE_DIRECT_URL ?? variables.DATABASE_URL,
    spoolFolder: path.resolve(variables.RECORDER_SPOOL_DIR),
  };
}
