import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '@session/db';
import { identify, programName, stopProcess } from '@session/kit';
import type { MediaContext, PostgresContext } from '@session/testing';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { provideLivekit } from '../src/livekit/program.ts';
import { livekitTemplate, prepareLivekit } from '../src/livekit/server.ts';
import { removePostgresHome } from '../src/postgres/home.ts';
import { preparePostgres } from '../src/postgres/server.ts';
import { firstFreePort } from '../src/supervision/ports.ts';
import { ProcessTable } from '../src/supervision/process-table.ts';
import { type Progress, plainProgress } from '../src/supervision/progress.ts';
import { Service, type ServiceHost } from '../src/supervision/service.ts';

const testFolder = path.resolve(import.meta.dirname, '../../../.cache/test');
const template = 'template_migrated';
const host = '127.0.0.1';
const progress = plainProgress((text) => process.stderr.write(text));

/**
 * Starts what a whole run shares, and returns a function that stops it: one PostgreSQL, with a migrated database that each
 * test file clones, one LiveKit server, and what `startMore` adds. The `runs` folder is shared by runs that see each other's
 * processes.
 */
export async function startTestRun(
  project: TestProject,
  startMore: (run: TestRun) => Promise<void> = async () => {},
  runs = testFolder,
): Promise<() => Promise<void>> {
  await sweep(runs);
  const folder = path.join(runs, `run-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => removeRun(folder));
  const table = await ProcessTable.claim(path.join(folder, 'processes.json'));
  if (!table) throw new Error(`${folder} is in use`);
  stack.use(table);
  const { signal } = new AbortController();
  const serviceHost: ServiceHost = {
    logFolder: folder,
    stop: signal,
    forceStop: signal,
    say: progress.say,
    note: (...entry) => table.set(...entry),
  };
  const run = { folder, serviceHost, stack, progress };
  await startMore(run);
  project.provide('media', await startMedia(run));
  project.provide('postgres', await startPostgres(run));
  const owned = stack.move();
  return () => owned.disposeAsync();
}

/** What the parts of a run are started with. */
export interface TestRun {
  readonly folder: string;
  readonly serviceHost: ServiceHost;
  readonly stack: AsyncDisposableStack;
  readonly progress: Progress;
}

async function startPostgres({ folder, serviceHost, stack }: TestRun): Promise<PostgresContext> {
  const database = await preparePostgres({
    folder: path.join(folder, 'postgres'),
    host,
    port: await firstFreePort([], host),
    password: 'test',
    isDisposable: true,
  });
  stack.use(await Service.start(database.spec, serviceHost));
  const admin = postgres(database.url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${template}`);
  await admin.end();
  const url = new URL(database.url);
  url.pathname = `/${template}`;
  await migrate(url.href);
  return { adminUrl: database.url, template };
}

async function startMedia({ folder, serviceHost, stack }: TestRun): Promise<MediaContext> {
  const { stop } = serviceHost;
  const program = await provideLivekit({ env: process.env, stop, progress });
  const keys = { apiKey: 'test', apiSecret: randomBytes(32).toString('base64url') };
  const port = await firstFreePort([], host);
  const rtcPort = await firstFreePort([], host);
  const spec = await prepareLivekit({ program, folder, host, port, rtcPort, ...keys });
  stack.use(await Service.start(spec, serviceHost));
  const shared = { url: `ws://${host}:${port}`, ...keys };
  return { shared, program, folder, template: await livekitTemplate() };
}

/** Stops and removes what killed runs have left behind. */
async function sweep(runs: string): Promise<void> {
  await mkdir(runs, { recursive: true });
  for (const name of await readdir(runs)) {
    const folder = path.join(runs, name);
    await using table = await ProcessTable.claim(path.join(folder, 'processes.json'));
    if (table) await removeRun(folder);
  }
}

async function removeRun(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith('.pid')) await stopMediaServer(path.join(folder, name));
  }
  await removePostgresHome(path.join(folder, 'postgres'));
  await rm(folder, { recursive: true, force: true });
}

/** Stops a LiveKit server that a test has started, and whose worker was killed. */
async function stopMediaServer(pidFile: string): Promise<void> {
  const owner = await identify(Number(await readFile(pidFile, 'utf8')));
  if (owner && (await programName(owner.pid)) === 'livekit-server') {
    await stopProcess(owner, 'SIGTERM', 200);
  }
}
