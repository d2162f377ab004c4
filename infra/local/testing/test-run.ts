import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '@session/db';
import { identify, programName, stopProcess } from '@session/kit';
import type { MediaContext, PostgresContext, TestMedia } from '@session/testing';
import postgres from 'postgres';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { provideAgents } from '../src/builds/provide-agents.ts';
import { provideLivekit } from '../src/livekit/program.ts';
import { livekitTemplate, prepareLivekit } from '../src/livekit/server.ts';
import { removePostgresHome } from '../src/postgres/home.ts';
import { preparePostgres } from '../src/postgres/server.ts';
import { firstFreePort } from '../src/supervision/ports.ts';
import { ProcessTable } from '../src/supervision/process-table.ts';
import { type Progress, plainProgress } from '../src/supervision/progress.ts';
import { Service, type ServiceHost } from '../src/supervision/service.ts';
import { provideServices } from './provide-services.ts';

const testFolder = path.resolve(import.meta.dirname, '../../../.cache/test');
const host = '127.0.0.1';
const progress = plainProgress((text) => process.stderr.write(text));

/**
 * Starts what a whole run shares, and returns a function that stops it: one PostgreSQL, with a migrated database that each
 * test file clones, one LiveKit server, and what `startMore` adds. Of several projects in one run the first starts the servers for
 * all. The `runs` folder is shared by runs that see each other's processes.
 */
export async function startTestRun(
  project: TestProject,
  startMore: (run: TestRun) => Promise<void> = async () => {},
  runs = testFolder,
): Promise<() => Promise<void>> {
  await sweep(runs);
  // Sockets in it have short paths.
  const folder = path.join(runs, `run-${randomBytes(3).toString('hex')}`);
  await mkdir(folder);
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
  const all = project.vitest.getRootProject();
  const provided: Partial<ProvidedContext> = all.getProvidedContext();
  if (!provided.media) all.provide('media', await provideMedia(run));
  if (!provided.postgres) all.provide('postgres', await providePostgres(run));
  if (!provided.services) all.provide('services', await provideServices(progress));
  // The workers, which start later, inherit it.
  process.env['AGENT_PROGRAMS_DIR'] ||= await provideAgents({ stop: signal, progress });
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

/** Migrates a database on the PostgreSQL of TEST_POSTGRES_URL, or on one of the run's own. */
async function providePostgres(run: TestRun): Promise<PostgresContext> {
  const adminUrl = process.env['TEST_POSTGRES_URL'] || (await startPostgres(run));
  const template = `template_${randomUUID().replaceAll('-', '')}`;
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  run.stack.defer(async () => {
    await admin.unsafe(`drop database if exists ${template} with (force)`);
    await admin.end();
  });
  await admin.unsafe(`create database ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${template}`;
  await migrate(url.href);
  return { adminUrl, template };
}

async function startPostgres({ folder, serviceHost, stack }: TestRun): Promise<string> {
  const database = await preparePostgres({
    folder: path.join(folder, 'postgres'),
    host,
    port: await firstFreePort([], host),
    password: 'test',
    isDisposable: true,
  });
  stack.use(await Service.start(database.spec, serviceHost));
  return database.url;
}

/** Provides the LiveKit server of TEST_LIVEKIT_URL, or one of the run's own, and what is needed to start another one. */
async function provideMedia(run: TestRun): Promise<MediaContext> {
  const { env } = process;
  const { folder, serviceHost } = run;
  const program = await provideLivekit({ env, stop: serviceHost.stop, progress });
  const url = env['TEST_LIVEKIT_URL'];
  const { TEST_LIVEKIT_KEY: apiKey, TEST_LIVEKIT_SECRET: apiSecret } = env;
  if (url && !(apiKey && apiSecret))
    throw new Error('TEST_LIVEKIT_URL is set: set TEST_LIVEKIT_KEY and TEST_LIVEKIT_SECRET too.');
  const isGiven = url && apiKey && apiSecret;
  const shared = isGiven ? { url, apiKey, apiSecret } : await startMedia(run, program);
  return { shared, program, folder, template: await livekitTemplate() };
}

async function startMedia(run: TestRun, program: string): Promise<TestMedia> {
  const { folder, serviceHost, stack } = run;
  const keys = { apiKey: 'test', apiSecret: randomBytes(32).toString('base64url') };
  const port = await firstFreePort([], host);
  const rtcPort = await firstFreePort([], host);
  const spec = await prepareLivekit({ program, folder, host, port, rtcPort, ...keys });
  stack.use(await Service.start(spec, serviceHost));
  return { url: `ws://${host}:${port}`, ...keys };
}

/** Stops and removes what killed runs have left behind. */
async function sweep(runs: string): Promise<void> {
  await mkdir(runs, { recursive: true });
  for (const name of await readdir(runs)) {
    const folder = path.join(runs, name);
    // A run that starts at the same time has created its folder, and claims it next.
    if (!existsSync(path.join(folder, 'processes.json'))) continue;
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
