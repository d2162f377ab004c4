import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import path from 'node:path';
import { appProgram } from './app-program.ts';
import { browserUrl } from './http-url.ts';
import { onFreePorts, running, type StartedPart, stopAll, untilAllStarted } from './parts.ts';
import type { StackServers } from './servers.ts';
import { API, LOOPBACK, type StackContext } from './stack-context.ts';

const SECRETS_OF_API = new Set([
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEY_PREVIOUS',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
]);

type ServersOfPrograms = StackServers & {
  readonly speechUrl: string | undefined;
  readonly consoleOrigins: readonly string[];
  readonly agentsFolder: string | undefined;
};

export interface ProgramUrls {
  readonly apiUrl: string;
  readonly metricsUrls: Readonly<Record<string, string>>;
}

/**
 * Starts recorders and API at once. Disposal stops the API first, so that its agents' last messages are stored, and
 * then all recorders at once: none could take over.
 */
export async function startPrograms(
  context: StackContext,
  servers: ServersOfPrograms,
  parts: AsyncDisposableStack,
): Promise<ProgramUrls> {
  const env = environment(context, servers);
  const names = recorderNames(context);
  const apiStart = startApi(context, { ...env, ...variablesOfApi(servers) });
  const recorderStarts = names.map((name) => startRecorder(context, name, env));
  await untilAllStarted([apiStart, ...recorderStarts]);
  const recorders = await Promise.all(recorderStarts);
  const api = await apiStart;
  parts.defer(() => stopAll(recorders));
  parts.defer(() => stopAll([api]));
  const metrics = recorders.map(({ address }, index) => [names[index], address]);
  const { apiUrl, metricsUrl } = api.address;
  return { apiUrl, metricsUrls: { api: metricsUrl, ...Object.fromEntries(metrics) } };
}

/**
 * Returns the recorders' addresses for webhooks, chosen before the recorders start. If another program takes one of these
 * ports, the other recorders get the webhooks.
 */
export async function webhookUrls(context: StackContext): Promise<string[]> {
  const names = recorderNames(context);
  const ports = await Promise.all(names.map((name) => webhookPort(context, name)));
  return ports.map((port) => `http://${LOOPBACK}:${port}/webhooks/media`);
}

async function webhookPort({ portOf }: StackContext, recorder: string): Promise<number> {
  return await portOf(`${recorder} (webhooks)`, LOOPBACK);
}

function recorderNames({ config }: StackContext): string[] {
  return Array.from({ length: config.recorders }, (_, index) => `recorder-${index + 1}`);
}

function environment(
  { config }: StackContext,
  { databaseUrl, media }: StackServers,
): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !SECRETS_OF_API.has(name));
  return {
    ...Object.fromEntries(inherited),
    LOG_LEVEL: config.logLevel,
    DATABASE_URL: databaseUrl,
    // Only together with DATABASE_URL: the stack's own server has no pooler.
    DATABASE_DIRECT_URL: config.databaseUrl && process.env['DATABASE_DIRECT_URL'],
    MEDIA_URL: media.url,
    MEDIA_API_KEY: media.apiKey,
    MEDIA_API_SECRET: media.apiSecret,
  };
}

/** The origins of pages under development on this machine. Their requests need a token, like all others. */
const LOOPBACK_ORIGINS = ['http://127.0.0.1:*', 'http://localhost:*'];

function variablesOfApi({
  speechUrl,
  consoleOrigins,
  agentsFolder,
}: ServersOfPrograms): NodeJS.ProcessEnv {
  const origins = [process.env['CORS_ORIGINS'], ...consoleOrigins, ...LOOPBACK_ORIGINS].filter(
    Boolean,
  );
  return {
    // For models on this machine, such as Ollama.
    AGENT_MODEL_NETWORKS: process.env['AGENT_MODEL_NETWORKS'] || '127.0.0.0/8,::1/128',
    // For tools on this machine.
    AGENT_TOOL_NETWORKS: process.env['AGENT_TOOL_NETWORKS'] || '127.0.0.0/8,::1/128',
    // For receivers on this machine.
    WEBHOOK_NETWORKS: process.env['WEBHOOK_NETWORKS'] || '127.0.0.0/8,::1/128',
    AGENT_PROGRAMS_DIR: process.env['AGENT_PROGRAMS_DIR'] || agentsFolder,
    ...(speechUrl !== undefined && { AGENT_SPEECH_URL: speechUrl }),
    CONSOLE_URL: process.env['CONSOLE_URL'] || consoleOrigins[0],
    CORS_ORIGINS: origins.join(','),
  };
}

export async function apiPort({ config, portOf }: StackContext): Promise<number> {
  return await portOf(API, config.host, config.port);
}

async function startApi(
  context: StackContext,
  env: NodeJS.ProcessEnv,
): Promise<StartedPart<{ readonly apiUrl: string; readonly metricsUrl: string }>> {
  const { config, secrets, start, portOf } = context;
  const { host } = config;
  return await onFreePorts(
    async () => ({
      port: await apiPort(context),
      metricsPort: await portOf('API (metrics)', host),
    }),
    async ({ port, metricsPort }) => {
      const AGENT_PROCESS_DIR = path.join(config.folder, 'agents');
      const own = {
        JWT_SECRET: secrets.jwtSecret,
        JWT_SECRET_PREVIOUS: process.env['JWT_SECRET_PREVIOUS'],
        ENCRYPTION_KEY: secrets.encryptionKey,
        ENCRYPTION_KEY_PREVIOUS: process.env['ENCRYPTION_KEY_PREVIOUS'],
        SMTP_URL: process.env['SMTP_URL'],
        OIDC_CLIENT_SECRET: process.env['OIDC_CLIENT_SECRET'],
        HOST: host,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        API_DOCS: process.env['API_DOCS'] ?? 'true',
        // All users of the stack have one address.
        RATE_LIMIT_LOGIN_PER_MINUTE: process.env['RATE_LIMIT_LOGIN_PER_MINUTE'] || '600',
        RATE_LIMIT_SIGNUP_PER_MINUTE: process.env['RATE_LIMIT_SIGNUP_PER_MINUTE'] || '600',
        AGENT_PROCESS_DIR,
        AGENT_INSTANCE: process.env['AGENT_INSTANCE'] ?? instanceOf(config.folder),
      };
      return running(await start(appProgram('api', 'api', { ...env, ...own })), {
        apiUrl: browserUrl(host, port),
        metricsUrl: `${browserUrl(host, metricsPort)}/metrics`,
      });
    },
  );
}

/** Stacks that share a cluster must not take each other's pods for orphans. */
function instanceOf(folder: string): string {
  const hash = createHash('sha256').update(`${hostname()}:${folder}`).digest('hex');
  return `local-${hash.slice(0, 12)}`;
}

async function startRecorder(
  context: StackContext,
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<StartedPart<string>> {
  const { config, start, portOf } = context;
  const RECORDER_SPOOL_DIR = path.join(config.folder, 'spool', name);
  return await onFreePorts(
    async () => ({
      port: await portOf(name, LOOPBACK),
      forWebhooks: await webhookPort(context, name),
    }),
    async ({ port, forWebhooks }) => {
      const own = {
        HOST: LOOPBACK,
        METRICS_PORT: String(port),
        WEBHOOK_PORT: String(forWebhooks),
        RECORDER_SPOOL_DIR,
      };
      return running(
        await start(appProgram(name, 'recorder', { ...env, ...own })),
        `http://${LOOPBACK}:${port}/metrics`,
      );
    },
  );
}
