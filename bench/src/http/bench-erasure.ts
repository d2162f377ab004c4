import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '@session/db';
import { inS, markdownTable, percentile } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { databaseCpuMs } from './database-cpu.ts';
import { type FollowedProject, makeProject, openStream } from './follower-load.ts';
import type { Server, Servers } from './servers.ts';

const MESSAGES = 100_000;
const IN_SESSIONS = [100, 1];
const QUIET_MS = 10_000;
const READ_EVERY_MS = 50;
const POLL_MS = 200;
const TIMES = ['page, p50', 'p99', 'slowest'];
const HEAD = ['messages in', '', 'took', ...TIMES, 'streamed', 'CPU, database', 'CPU, API'];

/** Erases an end user with 100,000 messages, in many sessions and in one, while one of these sessions is read and streamed. */
export async function benchErasure(
  servers: Servers,
  url: string,
  options: BenchOptions,
): Promise<string> {
  await using database = openDatabase(url, { statementTimeoutMs: 600_000 });
  const server = await servers.startApi(url);
  const rows: string[][] = [];
  for (const count of IN_SESSIONS) {
    rows.push(...(await erasureOf(count, database, { server, servers }, options)));
  }
  return markdownTable(HEAD, rows);
}

async function erasureOf(
  count: number,
  database: Database,
  { server: { address, program }, servers }: { server: Server; servers: Servers },
  { progress, stop }: BenchOptions,
): Promise<string[][]> {
  const { sql } = database;
  const name = count === 1 ? 'one session' : `${count} sessions`;
  const project = await makeProject(database, count);
  const { projectId, sessions } = project;
  const [sessionId = ''] = sessions;
  const headers = servers.headersOf(project.userId);
  const messages = `${address}/sessions/${sessionId}/messages`;
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
  };
  await post(`/sessions/${sessionId}/token`, { participant: { id: 'erased', name: 'Ada' } });
  const [person] = await sql`
    select user_id from session_end_users where session_id = ${sessionId}`;
  const userId = String(person?.['user_id']);
  await progress.during(`Storing ${MESSAGES} messages in ${name}`, () =>
    load(database, project, userId),
  );
  let streamed = 0;
  using stack = new DisposableStack();
  stack.use(await openStream(`${messages}/stream`, headers, () => (streamed += 1)));
  const measure = async (what: string, act: () => Promise<void>) => {
    const before = { databaseMs: await databaseCpuMs(sql), ...(await program.usage()) };
    const over = new AbortController();
    const reading = timesOf(over.signal, async () => {
      const answer = await fetch(`${messages}?limit=50`, { headers });
      if (!answer.ok) throw new Error(`a page was answered ${answer.status}`);
      await answer.arrayBuffer();
    });
    streamed = 0;
    const beganAt = performance.now();
    await progress.during(`${name}, ${what}`, act);
    const tookMs = performance.now() - beganAt;
    over.abort();
    const times = await reading;
    const after = { databaseMs: await databaseCpuMs(sql), ...(await program.usage()) };
    return [
      name,
      what,
      inS(tookMs),
      ...[0.5, 0.99, 1].map((part) => `${percentile(times, part).toFixed(0)} ms`),
      String(streamed),
      inS(after.databaseMs - before.databaseMs),
      inS(after.cpuMs - before.cpuMs),
    ];
  };
  const quiet = await measure('before', async () => await sleep(QUIET_MS));
  const erasing = await measure('erasure', async () => {
    await post(`/projects/${projectId}/erasures`, { userId });
    const isDone = async () => {
      const [erasure] = await sql`select status from erasures where project_id = ${projectId}`;
      return erasure?.['status'] === 'done';
    };
    while (!(await isDone())) {
      stop.throwIfAborted();
      await sleep(POLL_MS);
    }
  });
  const [left] = await sql`
    select count(*)::int as count from messages where session_id = any (${sessions}) and content <> ''`;
  if (left?.['count'] !== 0) throw new Error(`${left?.['count']} messages were not erased`);
  return [quiet, erasing];
}

/** Stores messages as if they had been said in the last minutes, one each millisecond. */
async function load(
  { sql }: Database,
  { sessions }: FollowedProject,
  userId: string,
): Promise<void> {
  const each = MESSAGES / sessions.length;
  const identity = `user-${userId}-abcdef`;
  for (const sessionId of sessions) {
    await sql`
      insert into messages (session_id, id, "timestamp", created_at, role, kind, content, metadata)
      select ${sessionId}, gen_random_uuid(), at, at, 'user', 'text', 'said by the person ' || n,
        jsonb_build_object('kind', 'text', 'participant', jsonb_build_object(
          'identity', ${identity}::text, 'name', 'Ada', 'sid', null, 'kind', 'standard'))
      from generate_series(1, ${each}::int) n,
        lateral (select now() + n * interval '1 ms' - interval '3 min') stored (at)`;
    await sql`
      update session_heads set message_count = message_count + ${each}, last_at = now() where session_id = ${sessionId}`;
  }
}

async function timesOf(signal: AbortSignal, act: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const beganAt = performance.now();
    await act();
    times.push(performance.now() - beganAt);
    await sleep(READ_EVERY_MS);
  }
  return times;
}
