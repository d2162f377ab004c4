import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '@session/kit';
import {
  firstFreePort,
  ProcessTable,
  prepareLivekit,
  preparePostgres,
  provideLivekit,
  Service,
  type ServiceHost,
} from '@session/local';
import type { BenchOptions } from '../measure/bench-options.ts';
import { freshDatabase } from '../measure/fresh-database.ts';
import { serviceHostOf } from '../measure/service-host.ts';
import { benchLag } from './bench-lag.ts';
import { benchQueue } from './bench-queue.ts';
import { benchRecovery } from './bench-recovery.ts';
import { benchRooms } from './bench-rooms.ts';
import { benchSteady } from './bench-steady.ts';
import { benchStorage } from './bench-storage.ts';
import { benchTracedQueue } from './bench-traced-queue.ts';
import type { RecorderOptions } from './recorder-options.ts';
import { Testbed, type TestbedServers } from './testbed.ts';

const HOST = '127.0.0.1';

const BENCHES = {
  rooms: benchRooms,
  queue: benchQueue,
  lag: benchLag,
  recovery: benchRecovery,
  storage: benchStorage,
  steady: benchSteady,
  traces: benchTracedQueue,
};
export type RecorderPart = keyof typeof BENCHES;
/** The parts that are measured when none is named: `steady` takes half an hour. */
export const RECORDER_PARTS = ['rooms', 'queue', 'lag', 'recovery', 'storage'] as const;
export const ALL_RECORDER_PARTS = [...RECORDER_PARTS, 'steady', 'traces'] as const;

/**
 * Measures `parts` of the recorder on servers of its own, and yields each result as Markdown. Throws a StartError when
 * another bench is running in that `folder`.
 */
export async function* benchRecorder(
  folder: string,
  parts: readonly RecorderPart[],
  options: RecorderOptions,
): AsyncGenerator<string> {
  await mkdir(folder, { recursive: true });
  await using table = await ProcessTable.claim(path.join(folder, 'processes.json'));
  if (!table) throw new StartError('Another bench is running.');
  await using stack = new AsyncDisposableStack();
  const servers = await startServers(folder, table, stack, options);
  await using testbed = await Testbed.open(servers);
  for (const part of parts) {
    yield `## recorder: ${part}\n\n${await BENCHES[part](testbed, options)}\n`;
  }
}

/** Starts PostgreSQL with a fresh database, and LiveKit. Disposal of `stack` stops them. */
async function startServers(
  folder: string,
  table: ProcessTable,
  stack: AsyncDisposableStack,
  options: BenchOptions,
): Promise<TestbedServers> {
  const { progress, stop } = options;
  const host = serviceHostOf(folder, table, options);
  const program = await provideLivekit({ env: process.env, stop, progress });
  return await progress.during('Starting PostgreSQL and LiveKit', async () => {
    const port = await firstFreePort([], HOST);
    const home = { folder: path.join(folder, 'postgres'), host: HOST, port, password: 'bench' };
    const { spec, url } = await preparePostgres(home);
    stack.use(await Service.start(spec, host));
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
    const databaseUrl = await freshDatabase(url, 'bench_recorder');
    const server = { url: `ws://${HOST}:${ports.port}`, ...keys };
    return { databaseUrl, media: server, mediaPid, folder, stop };
  });
}
