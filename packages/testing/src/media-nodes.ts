import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { newKeys, startMediaServer, type TestMediaServer } from './media-server.ts';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/** Two nodes of LiveKit that share a Redis. A token of one is a token of the other. */
export interface MediaNodes extends AsyncDisposable {
  readonly first: TestMediaServer;
  readonly second: TestMediaServer;
  /** Makes Redis lose its data, and resolves when both nodes are registered again. The nodes keep their rooms. */
  flushRedis(): Promise<void>;
  /** Makes those who join that room from now on land on that node, as the nodes themselves would decide at random. */
  place(room: string, node: 'first' | 'second'): Promise<void>;
  /** Resolves when Redis has the room again, because a node stored it. */
  untilStored(room: string): Promise<void>;
}

/** Whether this machine has Redis. */
export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** Starts two nodes of LiveKit and their Redis on free loopback ports. Disposal kills them. */
export async function startMediaNodes(webhookUrls: readonly string[] = []): Promise<MediaNodes> {
  await using stack = new AsyncDisposableStack();
  const port = await freePort(HOST);
  const args = ['--bind', HOST, '--port', String(port), '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', args, { stdio: 'ignore' });
  const exit = once(redis, 'exit');
  stack.defer(async () => {
    redis.kill('SIGKILL');
    await exit;
  });
  await poll(async () => (await ask(port, 'PING').catch(() => ''))?.includes('PONG'));
  const server = { webhookUrls, keys: newKeys(), redisAddress: `${HOST}:${port}` };
  const registered = async () => (await ask(port, 'HKEYS nodes')).match(/ND_\w+/g) ?? [];
  const first = stack.use(await startMediaServer(server));
  const [firstId = ''] = await registered();
  const second = stack.use(await startMediaServer(server));
  const secondId = (await registered()).find((id) => id !== firstId) ?? '';
  const ids = { first: firstId, second: secondId };
  const owned = stack.move();
  return {
    first,
    second,
    async flushRedis() {
      await ask(port, 'FLUSHALL');
      await poll(async () => (await registered()).length === 2);
    },
    async place(room, node) {
      await ask(port, `HSET room_node_map ${room} ${ids[node]}`);
    },
    async untilStored(room) {
      await poll(async () => (await ask(port, `HEXISTS rooms ${room}`)).startsWith(':1'));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, HOST);
  try {
    socket.write(`${command}\r\n`);
    const [answer]: unknown[] = await once(socket, 'data');
    return String(answer);
  } finally {
    socket.destroy();
  }
}

async function poll(check: () => Promise<boolean | undefined>): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await check())) {
    if (performance.now() > deadline)
      throw new Error('Redis or a node of LiveKit was not ready within a minute');
    await sleep(POLL_MS);
  }
}
