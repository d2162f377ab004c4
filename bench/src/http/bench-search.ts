import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { markdownTable, percentile } from '../measure/figures.ts';
import type { MeasuredProgram } from '../measure/program.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { databaseCpuMs } from './database-cpu.ts';
import { sendByClients } from './load.ts';
import { copiesText, MADE_SESSIONS, SEARCHER } from './load-words.ts';
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

/**
 * Empties the search index, fills it, and searches it with one client. The API indexes the made sessions, then SQL copies
 * their index rows for the copied sessions, and then the API indexes the last copies, which is measured.
 */
export async function benchSearch(
  servers: Servers,
  url: string,
  options: BenchOptions,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const sql = stack.adopt(postgres(url, { max: 1, onnotice: () => {} }), (one) => one.end());
  const sessions = await empty(sql);
  const { address, program } = await servers.startApi(url, { FOLLOWERS: 'on' });
  await follow(sql, [0, MADE_SESSIONS], options);
  await copyIndex(sql, sessions / MADE_SESSIONS - 2, options);
  const filled = await fill(sql, program, [sessions - MADE_SESSIONS, sessions], options);
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
      const { times, refused } = await measure(
        address,
        { path, headers },
        `${name}, ${size}`,
        options,
      );
      const ms = (part: number) => percentile(times, part).toFixed(1);
      rows.push([name, size, ms(0.5), ms(0.99), ms(1), `${times.length} and ${refused}`]);
    }
  }
  const head = ['found in', 'project with', 'p50, ms', 'p99, ms', 'slowest, ms', 'found and 503'];
  return `${filled}\n\n${markdownTable(head, rows)}`;
}

/** Empties the index, marks all sessions as indexed, and returns their number. */
async function empty(sql: postgres.Sql): Promise<number> {
  await sql`truncate message_search, follower_positions`;
  // The check of numbers would read all messages meanwhile.
  await sql`update followers set status = 'disabled' where kind = 'sequence'`;
  const { count } = await sql`
    insert into follower_positions (follower_id, session_id, position, wanted)
    select follower.id, head.session_id, head.last_at, head.last_at
    from session_heads head cross join followers follower
    where follower.kind = 'search'`;
  return count;
}

/** Waits until the API has indexed the sessions with these numbers. */
async function follow(
  sql: postgres.Sql,
  [from, end]: readonly [number, number],
  { progress, stop }: BenchOptions,
): Promise<void> {
  await sql`
    update follower_positions set position = 'epoch'
    where session_id in (
      select id from sessions where substr(name, 9)::int >= ${from} and substr(name, 9)::int < ${end}
    )`;
  await progress.during('Filling the search index', async (note) => {
    for (;;) {
      stop.throwIfAborted();
      const [behind] = await sql`
        select count(*)::int as count from follower_positions where wanted > position`;
      if (behind?.['count'] === 0) break;
      note(`${behind?.['count']} sessions are left`);
      await sleep(POLL_MS);
    }
  });
}

/** Drops the table's indexes while it copies, and builds them again after the last row. */
async function copyIndex(
  sql: postgres.Sql,
  copies: number,
  { progress, stop }: BenchOptions,
): Promise<void> {
  const indexes = await sql<{ name: string; text: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text
    from pg_index where indrelid = 'message_search'::regclass and not indisprimary`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await sql`set maintenance_work_mem = '1GB'`;
  await progress.during('Copying the search index', async (note) => {
    for (let copy = 1; copy <= copies; copy += 1) {
      stop.throwIfAborted();
      note(`${Math.round((100 * copy) / copies)} %`);
      await sql.unsafe(`
        insert into message_search (session_id, message_id, project_id, seen_at, words)
        select copy.session_id, made.message_id, made.project_id, made.seen_at + copy.later, made.words
        from (${copiesText(copy)}) copy
        join message_search made on made.session_id = copy.made_id`);
    }
    for (const { name, text } of indexes) {
      note(name);
      await sql.unsafe(text);
    }
  });
}

async function fill(
  sql: postgres.Sql,
  program: MeasuredProgram,
  range: readonly [number, number],
  options: BenchOptions,
): Promise<string> {
  const countRows = async () =>
    Number((await sql`select count(*) from message_search`)[0]?.['count']);
  const before = { rows: await countRows(), apiMs: (await program.usage()).cpuMs };
  const databaseMs = await databaseCpuMs(sql);
  const beganAt = performance.now();
  await follow(sql, range, options);
  const seconds = (performance.now() - beganAt) / 1000;
  const [apiMs, ofDatabaseMs] = [
    (await program.usage()).cpuMs - before.apiMs,
    (await databaseCpuMs(sql)) - databaseMs,
  ];
  await sql`vacuum analyze message_search`;
  const rows = await countRows();
  const count = rows - before.rows;
  const [size] = await sql`select pg_size_pretty(pg_total_relation_size('message_search')) as text`;
  const each = (ms: number) => `${((ms / count) * 1000).toFixed(0)} ms`;
  return `Filled the last ${count.toLocaleString('en')} of ${rows.toLocaleString('en')} messages in ${seconds.toFixed(0)} s: ${(count / seconds).toFixed(0)} a second, ${each(ofDatabaseMs)} of the database's and ${each(apiMs)} of the API's CPU time for 1,000. The index has ${size?.['text']}.`;
}

async function measure(
  address: string,
  request: { readonly path: string; readonly headers: Readonly<Record<string, string>> },
  what: string,
  { rounds, roundMs, progress, stop }: BenchOptions,
): Promise<{ readonly times: readonly number[]; readonly refused: number }> {
  return await progress.during(`Searching: ${what}`, async () => {
    const times: number[] = [];
    let refused = 0;
    for (let round = 0; round <= rounds; round += 1) {
      stop.throwIfAborted();
      const durationMs = roundMs / 3;
      const { answers } = await sendByClients({ address, requests: [request], durationMs }, 1);
      const bad = answers.find(({ status }) => status !== 200 && status !== 503);
      if (bad) throw new Error(`${what}: an answer is ${bad.status}`);
      if (round === 0) continue;
      const found = answers.filter(({ status }) => status === 200);
      refused += answers.length - found.length;
      times.push(...found.map(({ latencyMs }) => latencyMs));
    }
    return { times, refused };
  });
}
