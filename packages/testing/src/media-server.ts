import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { freePort } from './free-port.ts';

interface MediaKey {
  readonly apiKey: string;
  readonly apiSecret: string;
}

export interface TestMedia extends MediaKey {
  readonly url: string;
}

export interface MediaContext {
  readonly shared: TestMedia;
  readonly program: string;
  readonly template: { readonly rtc: Readonly<Record<string, unknown>> };
  /** A folder of the run, removed at its end. A file `<name>.pid` in it contains the pid of a server that is stopped then. */
  readonly folder: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    media: MediaContext;
  }
}

const HOST = '127.0.0.1';
const READY_TIMEOUT_MS = 25_000;

/** Returns the LiveKit server that all tests of the run share: use rooms of your own, and leave them. */
export function testMedia(): TestMedia {
  return inject('media').shared;
}

/**
 * Starts a LiveKit server of the test's own on free loopback ports, and returns it when it is ready. The server sends its
 * webhooks to `webhookUrls`. It accepts `spareKeys` too (secrets by key). With a `redisAddress` it is one of several nodes,
 * which need the same `keys`. Throws when it does not answer within 25 s.
 */
export async function startMediaServer({
  webhookUrls = [],
  keys = newKeys(),
  spareKeys = {},
  redisAddress,
}: {
  webhookUrls?: readonly string[];
  keys?: MediaKey;
  spareKeys?: Readonly<Record<string, string>>;
  redisAddress?: string;
} = {}): Promise<TestMediaServer> {
  const { program, template, folder } = inject('media');
  const [port, rtcPort] = [await freePort(HOST), await freePort(HOST)];
  const config = {
    ...template,
    port,
    rtc: { ...template.rtc, udp_port: rtcPort },
    keys: { ...spareKeys, [keys.apiKey]: keys.apiSecret },
    webhook: { api_key: keys.apiKey, urls: webhookUrls },
    ...(redisAddress !== undefined && { redis: { address: redisAddress } }),
  };
  const file = path.join(folder, `media-${port}.json`);
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  const server = new TestMediaServer({ url: `ws://${HOST}:${port}`, ...keys }, program, file);
  await server.start();
  return server;
}

/** Returns a key with a new secret, which no other server has. */
export function newKeys(): MediaKey {
  return { apiKey: 'test', apiSecret: randomBytes(32).toString('base64url') };
}

/** A LiveKit server of a test's own. Disposal kills it. */
export class TestMediaServer implements TestMedia, AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly #program: string;
  readonly #configFile: string;
  #child: ChildProcess | undefined;

  constructor({ url, apiKey, apiSecret }: TestMedia, program: string, configFile: string) {
    this.url = url;
    this.apiKey = apiKey;
    this.apiSecret = apiSecret;
    this.#program = program;
    this.#configFile = configFile;
  }

  /** The pid of the server's current or last process. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts the server, always on the same ports, and kills its previous process. Resolves when the server answers. */
  async start(): Promise<void> {
    await this.kill();
    const logFile = `${this.#configFile}.log`;
    await using log = await open(logFile, 'a', 0o600);
    const child = spawn(this.#program, ['--config', this.#configFile], {
      env: {},
      stdio: ['ignore', log.fd, log.fd],
    });
    this.#child = child;
    await once(child, 'spawn');
    await writeFile(`${this.#configFile}.pid`, String(child.pid));
    const deadline = performance.now() + READY_TIMEOUT_MS;
    while ((await fetch(this.url.replace('ws:', 'http:')).catch(() => undefined))?.status !== 200) {
      if (child.exitCode !== null || performance.now() > deadline) {
        await this.kill();
        const lines = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-5);
        throw new Error(`the test's LiveKit server did not start:\n${lines.join('\n')}`);
      }
      await sleep(20);
    }
  }

  /** Starts the server again with these keys alone, which then also sign its webhooks. */
  async replaceKeys({ apiKey, apiSecret }: MediaKey): Promise<void> {
    const config: Record<string, object> = JSON.parse(await readFile(this.#configFile, 'utf8'));
    const webhook = { ...config['webhook'], api_key: apiKey };
    const changed = { ...config, keys: { [apiKey]: apiSecret }, webhook };
    await writeFile(this.#configFile, JSON.stringify(changed), { mode: 0o600 });
    await this.start();
  }

  /** Kills the server by SIGKILL. Resolves when it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    const file = this.#configFile;
    await Promise.all([file, `${file}.pid`, `${file}.log`].map((name) => rm(name)));
  }
}
