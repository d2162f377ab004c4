import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  firstFreePort,
  prepareLivekit,
  provideLivekit,
  Service,
  type ServiceHost,
} from '@session/local';
import postgres from 'postgres';
import { provideCheckout } from '../measure/checkout.ts';
import { type BenchOptions, HOST, startPostgres } from '../measure/servers.ts';
import { benchLag } from './bench-lag.ts';
import { benchQueue } from './bench-queue.ts';
import { benchRecovery } from './bench-recovery.ts';
import { benchRooms } from './bench-rooms.ts';
import { Testbed, type TestbedServers } from './testbed.ts';

const BENCHES = {
  rooms: benchRooms,
  queue: benchQueue,
  lag: benchLag,
  recovery: benchRecovery,
};
type RecorderPart = keyof typeof BENCHES;
export const RECORDER_PARTS = ['rooms', 'queue', 'lag', 'recovery'] as const;

export interface RecorderRequest {
  readonly parts: readonly RecorderPart[];
  /** A commit whose recorder is measured in the same rounds. */
  readonly former: string | undefined;
}

export async function* benchRecorder(
  folder: string,
  { parts, former }: RecorderRequest,
  options: BenchOptions,
): AsyncGenerator<string> {
  await using stack = new AsyncDisposableStack();
  const checkout = former === undefined ? undefined : await provideCheckout(former);
  const servers = await startServers(folder, options, stack);
  await using testbed = await Testbed.open({ ...servers, former: checkout });
  for (const part of parts) {
    yield `## recorder: ${part}\n\n${await BENCHES[part](testbed, options)}\n`;
  }
}

async function startServers(
  folder: string,
  options: BenchOptions,
  stack: AsyncDisposableStack,
): Promise<Omit<TestbedServers, 'former'>> {
  const { progress, stop } = options;
  const program = await provideLivekit({ env: process.env, stop, progress });
  const { adminUrl, host } = await startPostgres(folder, options, stack);
  return await progress.during('Starting LiveKit', async () => {
    const mediaFolder = path.join(folder, 'media');
    await mkdir(mediaFolder, { recursive: true, mode: 0o700 });
    const keys = { apiKey: 'bench', apiSecret: randomBytes(48).toString('base64') };
    const ports = { port: await firstFreePort([], HOST), rtcPort: await firstFreePort([], HOST) };
    const media = { program, folder: mediaFolder, host: HOST, ...ports, ...keys };
    let mediaPid = Number.NaN;
    const note: ServiceHost['note'] = async (name, pid, ...rest) => {
      mediaPid = pid;
      await host.note(name, pid, ...rest);
    };
    stack.use(await Service.start(await prepareLivekit(media), { ...host, note }));
    const spool = path.join(folder, 'spool');
    stack.defer(() => rm(spool, { recursive: true, force: true }));
    const databaseUrl = await freshDatabase(adminUrl, 'bench_recorder');
    const server = { url: `ws://${HOST}:${ports.port}`, ...keys };
    return { databaseUrl, media: server, mediaPid, folder, stop };
  });
}

async function freshDatabase(adminUrl: string, name: string): Promise<string> {
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  await admin`drop database if exists ${admin(name)} with (force)`;
  await admin`create database ${admin(name)}`;
  await admin.end();
  return Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
}
