import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { MediaServer } from '@session/media';
import { provideLivekit } from '../livekit/program.ts';
import { prepareLivekit } from '../livekit/server.ts';
import { preparePostgres } from '../postgres/server.ts';
import { checkDatabase, checkMediaServer } from './external-servers.ts';
import { onFreePorts, running, type StartedPart, stopAll, untilAllStarted } from './parts.ts';
import { LOOPBACK, type StackContext } from './stack-context.ts';

export interface StackServers {
  readonly databaseUrl: string;
  readonly media: MediaServer;
}

const MEDIA_PORT = 7880;
const MEDIA_RTC_PORT = 7882;

/** Starts both servers at once, or checks the user's own. Throws a StartError when one cannot be used. */
export async function startServers(
  context: StackContext,
  webhookUrls: readonly string[],
  parts: AsyncDisposableStack,
): Promise<StackServers> {
  const starts = [startDatabase(context), startMedia(context, webhookUrls)] as const;
  await untilAllStarted(starts);
  const [database, media] = await Promise.all(starts);
  parts.defer(() => stopAll([database, media]));
  return { databaseUrl: database.address, media: media.address };
}

async function startDatabase(context: StackContext): Promise<StartedPart<string>> {
  const { config, secrets, start, portOf } = context;
  if (config.databaseUrl) {
    await checkDatabase(config.databaseUrl);
    return { address: config.databaseUrl };
  }
  const folder = path.join(config.folder, 'postgres');
  const options = { folder, host: LOOPBACK, password: secrets.databasePassword };
  return await onFreePorts(
    async () => ({ port: await portOf('database', LOOPBACK) }),
    async (ports) => {
      const { spec, url } = await preparePostgres({ ...options, ...ports });
      return running(await start(spec), url);
    },
  );
}

async function startMedia(
  context: StackContext,
  webhookUrls: readonly string[],
): Promise<StartedPart<MediaServer>> {
  const { config, secrets, progress, stop, start, portOf } = context;
  if (config.media) {
    await checkMediaServer(config.media);
    return { address: config.media };
  }
  const program = await provideLivekit({ env: process.env, stop, progress });
  const folder = path.join(config.folder, 'media');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const keys = { apiKey: secrets.mediaApiKey, apiSecret: secrets.mediaApiSecret };
  return await onFreePorts(
    async () => ({
      port: await portOf('media server', LOOPBACK, { usual: MEDIA_PORT }),
      rtcPort: await portOf('media server (UDP)', LOOPBACK, { usual: MEDIA_RTC_PORT }),
    }),
    async (ports) => {
      const options = { program, folder, host: LOOPBACK, ...ports, ...keys, webhookUrls };
      const spec = await prepareLivekit(options);
      return running(await start(spec), { url: `ws://${LOOPBACK}:${ports.port}`, ...keys });
    },
  );
}
