import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaServer } from '@session/media';
import { RoomServiceClient } from 'livekit-server-sdk';
import { parse } from 'yaml';
import * as z from 'zod';
import type { ServiceSpec } from '../supervision/service.ts';

const Template = z.looseObject({ rtc: z.looseObject({}) });

export interface LivekitOptions {
  readonly program: string;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly rtcPort: number;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly webhookUrls?: readonly string[];
  readonly redisAddress?: string;
}

export async function livekitTemplate(): Promise<z.output<typeof Template>> {
  const file = path.resolve(import.meta.dirname, '../../livekit.yaml');
  return Template.parse(parse(await readFile(file, 'utf8')));
}

/** Writes the configuration of a LiveKit server, readable by its owner only, and returns the part to start. */
export async function prepareLivekit(options: LivekitOptions): Promise<ServiceSpec> {
  const { program, folder, host, port, rtcPort, apiKey, apiSecret, webhookUrls = [] } = options;
  const { redisAddress } = options;
  const template = await livekitTemplate();
  const config = {
    ...template,
    port,
    bind_addresses: [host],
    rtc: { ...template.rtc, udp_port: rtcPort },
    keys: { [apiKey]: apiSecret },
    webhook: { api_key: apiKey, urls: webhookUrls },
    ...(redisAddress && { redis: { address: redisAddress } }),
  };
  // JSON is YAML too.
  const file = path.join(folder, 'livekit.json');
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return {
    name: 'media',
    command: program,
    args: ['--config', file],
    // Inherits nothing: LIVEKIT_CONFIG or NODE_IP would change the server's behaviour.
    options: { cwd: folder, env: {} },
    hasChannel: false,
    stop: { signal: 'SIGTERM', patienceMs: 2000 },
    isAskedTwice: true,
    ready: (_, signal) =>
      untilItAnswers({ url: `ws://${host}:${port}`, apiKey, apiSecret }, signal),
  };
}

/** Throws when the server does not answer, or refuses these keys. */
export async function askLivekit({ url, apiKey, apiSecret }: MediaServer): Promise<void> {
  const options = { requestTimeout: 5, failover: false };
  await new RoomServiceClient(url, apiKey, apiSecret, options).listRooms();
}

/**
 * Asks with the server's own keys: if another server took the port first, ours ends with code 0 and the other one
 * answers.
 */
async function untilItAnswers(server: MediaServer, signal: AbortSignal): Promise<void> {
  const address = server.url.replace('ws:', 'http:');
  for (;;) {
    const answer = await fetch(address, { signal }).catch(() => undefined);
    const isOurs =
      answer?.status === 200 &&
      (await askLivekit(server).then(
        () => true,
        () => false,
      ));
    if (isOurs) return;
    await sleep(20, undefined, { signal });
  }
}
