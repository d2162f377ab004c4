import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import {
  firstFreePort,
  plainProgress,
  prepareLivekit,
  provideLivekit,
  Service,
  type ServiceHost,
} from '@session/local';
import type { MediaServer } from '@session/media';
import { hasRedis } from '@session/testing';
import { startBalancer } from './balancer.ts';
import { openWebhookRelay, type WebhookRelay } from './webhook-relay.ts';

const HOST = '127.0.0.1';
const POLL_MS = 50;

interface MediaNodes {
  readonly media: MediaServer;
  readonly webhooks: WebhookRelay;
  flushRedis(): Promise<void>;
}

/**
 * Starts nodes of LiveKit as `media-1`, `media-2` and so on, and restarts those that end. Throws a StartError without
 * Redis or HAProxy.
 */
export async function startMediaNodes(
  count: number,
  folder: string,
  host: ServiceHost,
  parts: AsyncDisposableStack,
): Promise<MediaNodes> {
  if (!hasRedis()) {
    throw new StartError('--media-nodes needs Redis: run `apt-get install redis-server`.');
  }
  const program = await provideLivekit({
    env: process.env,
    stop: host.stop,
    progress: plainProgress(() => {}),
  });
  const webhooks = parts.use(await openWebhookRelay());
  const redisPort = await startRedis(path.join(folder, 'redis'), host, parts);
  const keys = { apiKey: 'chaos', apiSecret: randomBytes(32).toString('base64url') };
  const ports = new Set<number>();
  const backends = [];
  for (let index = 1; index <= count; index += 1) {
    const name = `media-${index}`;
    const own = path.join(folder, name);
    await mkdir(own, { recursive: true });
    const port = await firstFreePort([], HOST, ports);
    const rtcPort = await firstFreePort([], HOST, ports.add(port));
    ports.add(rtcPort);
    const node = { program, folder: own, host: HOST, port, rtcPort, ...keys };
    const spec = await prepareLivekit({
      ...node,
      webhookUrls: [webhooks.url],
      redisAddress: `${HOST}:${redisPort}`,
    });
    parts.use(await Service.start({ ...spec, name }, host));
    backends.push({ name, address: `${HOST}:${port}`, checkPort: port });
  }
  const { url } = parts.use(
    await startBalancer(
      { name: 'media-balancer', check: '/', endsConnections: true, backends },
      folder,
      host,
    ),
  );
  return {
    media: { url: url.replace('http:', 'ws:'), ...keys },
    webhooks,
    async flushRedis() {
      const answer = await ask(redisPort, 'FLUSHALL');
      if (!answer.startsWith('+OK')) throw new Error(`Redis does not flush: ${answer}`);
    },
  };
}

async function startRedis(
  folder: string,
  host: ServiceHost,
  parts: AsyncDisposableStack,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  const port = await firstFreePort([], HOST);
  const options = { bind: HOST, port, dir: folder, appendonly: 'yes', appendfsync: 'always' };
  const service = await Service.start(
    {
      name: 'redis',
      command: 'redis-server',
      args: Object.entries(options).flatMap(([key, value]) => [`--${key}`, `${value}`]),
      options: { cwd: folder },
      hasChannel: false,
      stop: { signal: 'SIGTERM', patienceMs: 5000 },
      async ready(_, signal) {
        while (!(await answersPing(port)) && (await pause(POLL_MS, signal)));
        signal.throwIfAborted();
      },
    },
    host,
  );
  parts.use(service);
  return port;
}

/** Whether Redis answers. While it loads its data, it sends an error instead. */
async function answersPing(port: number): Promise<boolean> {
  return (await ask(port, 'PING')).startsWith('+PONG');
}

async function ask(port: number, command: string): Promise<string> {
  return await new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.write(`${command}\r\n`));
    const answer = (text: string) => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (data) => answer(data.toString()));
    socket.on('error', () => answer(''));
    socket.on('close', () => answer(''));
  });
}
