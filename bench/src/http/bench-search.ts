import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { markdownTable, percentile } from '../measure/figures.ts';
import type { MeasuredProgram } from '../measure/program.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { sendByClients } from './load.ts';
import { SEARCHER } from './load-words.ts';
import type { Servers } from './servers.ts';

const POLL_MS = 500;
const LARGE = 'half of all messages';
const SMALL = 'one of 100 others';
const QUERIES = [
  ['a word of half of the messages', 'half'],
  ['a word of a tenth', 'tenth'],
  ['a word of 0.3 %', 'uncommon'],
  ['a word of one in 100,000', 'rare'],
  ['no message', 'absent'],
  ['two words of half of the messages', 'half delivery'],
  ['a frequent and a rare word', 'half rare'],
  ['a frequent phrase', '"the next thing"'],
  ['a phrase of frequent words that nobody said', '"delivery tenth"'],
  ['a word, and not another', 'tenth -delivery'],
] as const;

/** Fills the search index, which is emptied before, and searches by one client. */
export async function benchSearch(
  servers: Servers,
  url: string,
  options: BenchOptions,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const sql = stack.adopt(postgres(url, { max: 1, onnotice: () => {} }), (one) => one.end());
  await empty(sql);
  const { address, program } = await servers.startApi(url, { FOLLOWERS: 'on' });
  const filled = await fill(sql, program, options);
  const [projects] = await sql<{ searcher: string; large: string; small: string }[]>`
    select created_by as searcher, project_id as large,
      (select project_id from sessions where name = 'Session 1') as small
    from sessions where name = 'Session 0'`;
  if (!projects) throw new Error(`the database has no sessions of the ${SEARCHER}`);
  const headers = servers.headersOf(projects.searcher);
  const rows: string[][] = [];
  for (const [name, q] of QUERIES) {
    for (const [size, projectId] of [
      [LARGE, projects.large],
      [SMALL, projects.small],
    ] as const) {
      const path = `/projects/${projectId}/messages/search?q=${encodeURIComponent(q)}&limit=50`;
      const times = await measure(address, { path, headers }, `${name}, ${size}`, options);
      const ms = (part: number) => percentile(times, part).toFixed(1);
      rows.push([name, size, ms(0.5), ms(0.99), ms(1), String(times.length)]);
    }
  }
  const head = ['found in', 'project with', 'p50, ms', 'p99, ms', 'slowest, ms', 'searches'];
  return `${filled}\n\n${markdownTable(head, rows)}`;
}

async function empty(sql: postgres.Sql): Promise<void> {
  await sql`truncate message_search`;
  await sql`
    delete from follower_positions position using followers follower
    where follower.id = position.follower_id and follower.kind = 'search'`;
}

async function fill(
  sql: postgres.Sql,
  program: MeasuredProgram,
  { progress, stop }: BenchOptions,
): Promise<string> {
  const [messages] = await sql`select count(*)::int as count from messages`;
  const seconds = await progress.during('Filling the search index', async (note) => {
    let beganAt: number | undefined;
    for (;;) {
      stop.throwIfAborted();
      const [found] = await sql`select count(*)::int as count from message_search`;
      if (found?.['count'] > 0) beganAt ??= performance.now();
      if (found?.['count'] === messages?.['count']) break;
      note(`${found?.['count']}`);
      await sleep(POLL_MS);
    }
    return (performance.now() - (beganAt ?? 0)) / 1000;
  });
  const { cpuMs } = await program.usage();
  await sql`vacuum analyze message_search`;
  const [size] = await sql`
    select pg_size_pretty(pg_total_relation_size('message_search')) as text`;
  const count = Number(messages?.['count']);
  return `Filled ${count.toLocaleString('en')} messages in ${seconds.toFixed(0)} s: ${(count / seconds).toFixed(0)} a second, ${((cpuMs / count) * 1000).toFixed(0)} ms of the API's CPU time for 1,000, ${size?.['text']}.`;
}

async function measure(
  address: string,
  request: { readonly path: string; readonly headers: Readonly<Record<string, string>> },
  what: string,
  { rounds, roundMs, progress, stop }: BenchOptions,
): Promise<number[]> {
  return await progress.during(`Searching: ${what}`, async () => {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      stop.throwIfAborted();
      const durationMs = roundMs / 3;
      const { answers } = await sendByClients({ address, requests: [request], durationMs }, 1);
      const bad = answers.find(({ status }) => status !== 200);
      if (bad) throw new Error(`${what}: an answer is ${bad.status}`);
      if (round > 0) times.push(...answers.map(({ latencyMs }) => latencyMs));
    }
    return times;
  });
}
