import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@session/db';
import { markdownTable, median, percentile, ratioText } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { databaseCpuMs } from './database-cpu.ts';
import {
  Arrivals,
  type FollowedProject,
  FollowedWriter,
  makeProject,
  openStream,
  startReceiver,
} from './follower-load.ts';
import type { Server, Servers } from './servers.ts';

const SESSIONS = 50;
const WEBHOOKS = 10;
const RATES = [10, 100, 500];
const DURATION_MS = 10_000;
const APPENDED = 10_000;
const ARRIVAL_MS = 90_000;
const NETWORKS = { FOLLOWERS: 'on', WEBHOOK_NETWORKS: '127.0.0.0/8' };

/** Measures webhooks, streams, the search index and the check of numbers while they follow stored messages. */
export async function benchFollowers(
  servers: Servers,
  url: string,
  options: BenchOptions,
): Promise<string> {
  await using database = openDatabase(url);
  const project = await makeProject(database, SESSIONS);
  const arrivals = await arrivalTable(servers, url, project, options);
  const cost = await costTable(servers, url, project, options);
  return `${arrivals}\n\n${cost}`;
}

async function addWebhook(
  { address }: Server,
  headers: Readonly<Record<string, string>>,
  { projectId }: FollowedProject,
  body: { readonly url: string; readonly from: string },
): Promise<void> {
  const answer = await fetch(`${address}/projects/${projectId}/webhooks`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`a webhook was answered ${answer.status}`);
}

/**
 * Measures the time from the store to the reader, with a stream for each session and one webhook. At the end a webhook
 * reads from the beginning.
 */
async function arrivalTable(
  servers: Servers,
  url: string,
  project: FollowedProject,
  { progress, stop }: BenchOptions,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const server = await servers.startApi(url, NETWORKS);
  stack.use(server.program);
  const headers = servers.headersOf(project.userId);
  const [streamed, delivered, repeated] = [new Arrivals(), new Arrivals(), new Arrivals()];
  const receiver = stack.use(await startReceiver((id) => delivered.came(id)));
  await addWebhook(server, headers, project, { url: receiver.url, from: 'now' });
  for (const id of project.sessions) {
    const path = `${server.address}/sessions/${id}/messages/stream`;
    stack.use(await openStream(path, headers, (message) => streamed.came(message)));
  }
  const writer = stack.use(new FollowedWriter(url, project.sessions));
  const sent = (id: string) => {
    for (const all of [streamed, delivered, repeated]) all.sent(id);
  };
  await writer.storeAtRate(20, 2000, sent);
  await arrived([streamed, delivered], 40, stop);
  for (const all of [streamed, delivered]) all.take();
  const rows: string[][] = [];
  let storedInAll = 0;
  for (const rate of RATES) {
    await progress.during(`${rate} messages a second`, async () => {
      const before = await server.program.usage();
      const stored = await writer.storeAtRate(rate, DURATION_MS, sent);
      const beganAt = performance.now();
      await arrived([streamed, delivered], stored, stop);
      const restMs = performance.now() - beganAt;
      storedInAll += stored;
      const core = (await server.program.usage()).cpuMs - before.cpuMs;
      const [ofStreams, ofWebhook] = [streamed.take(), delivered.take()];
      rows.push([
        String(rate),
        ...[ofStreams, ofWebhook].flatMap((times) =>
          [0.5, 0.99].map((part) => `${percentile(times, part).toFixed(0)} ms`),
        ),
        `${(restMs / 1000).toFixed(1)} s`,
        `${(core / stored).toFixed(1)} ms`,
        String(2 * stored - ofStreams.length - ofWebhook.length),
      ]);
    });
  }
  const backfill = stack.use(await startReceiver((id) => repeated.came(id)));
  await addWebhook(server, headers, project, { url: backfill.url, from: 'beginning' });
  const perSecond = await progress.during('A webhook from the beginning', async () => {
    // The webhook begins when the API next looks for new messages in all sessions.
    await arrived([repeated], 1, stop);
    const beganAt = performance.now();
    await arrived([repeated], storedInAll, stop);
    return (repeated.count * 1000) / (performance.now() - beganAt);
  });
  const head = ['per second', 'stream, p50', 'p99', 'webhook, p50', 'p99', 'behind at the end'];
  const table = markdownTable([...head, 'CPU of the API for one', 'missing'], rows);
  return `${table}\n\nA webhook from the beginning: ${perSecond.toFixed(0)} deliveries a second of one process`;
}

async function arrived(all: readonly Arrivals[], count: number, stop: AbortSignal): Promise<void> {
  const until = performance.now() + ARRIVAL_MS;
  while (all.some((one) => one.count < count) && performance.now() < until) {
    stop.throwIfAborted();
    await sleep(5);
  }
}

interface Stored {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** Measures what storing costs while an API process follows with ten webhooks, and while none follows. */
async function costTable(
  servers: Servers,
  url: string,
  project: FollowedProject,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const { sql } = stack.use(openDatabase(url, { connections: 1 }));
  const receiver = stack.use(await startReceiver(() => {}));
  const headers = servers.headersOf(project.userId);
  const setUp = await servers.startApi(url, { ...NETWORKS, FOLLOWERS: 'off' });
  await sql`delete from followers where project_id = ${project.projectId}`;
  for (let count = 0; count < WEBHOOKS; count += 1) {
    await addWebhook(setUp, headers, project, { url: receiver.url, from: 'now' });
  }
  await setUp.program[Symbol.asyncDispose]();
  const writer = stack.use(new FollowedWriter(url, project.sessions));
  const measure = async (followers: string): Promise<Stored> => {
    // Skips the messages that the last round left, so that they are not measured.
    await sql`update follower_positions set position = wanted where wanted > position`;
    const { program } = await servers.startApi(url, { ...NETWORKS, FOLLOWERS: followers });
    const before = await databaseCpuMs(sql);
    const perSecond = await writer.storeAtOnce(APPENDED);
    const cpuMs = ((await databaseCpuMs(sql)) - before) / (APPENDED / 1000);
    await program[Symbol.asyncDispose]();
    return { perSecond, cpuMs };
  };
  const measured: Record<string, Stored[]> = { off: [], on: [] };
  for (let round = 0; round <= rounds; round += 1) {
    await progress.during(`Storing, round ${round} of ${rounds}`, async () => {
      for (const followers of round % 2 === 0 ? ['off', 'on'] : ['on', 'off']) {
        stop.throwIfAborted();
        const stored = await measure(followers);
        // The first round warms up.
        if (round > 0) measured[followers]?.push(stored);
      }
    });
  }
  const compared = (name: string, of: (stored: Stored) => number) => {
    const { off = [], on = [] } = measured;
    const [without, together] = [off.map(of), on.map(of)];
    const medians = [without, together].map((values) => median(values).toFixed(0));
    return [name, ...medians, ratioText(together, without)];
  };
  return markdownTable(
    ['storing', 'without followers', `with ${WEBHOOKS} webhooks, search and numbers`, 'ratio'],
    [
      compared('rows per second', ({ perSecond }) => perSecond),
      compared('CPU of the database for 1,000 rows, ms', ({ cpuMs }) => cpuMs),
    ],
  );
}
