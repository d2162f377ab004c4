import { readFile } from 'node:fs/promises';
import { createTestDatabase } from '@session/testing';
import type { Sql } from 'postgres';
import { expect, test } from 'vitest';
import { manyRowsId } from '../../../testing/many-rows.ts';
import { insertManySessions, MANY_SESSIONS } from '../../../testing/many-sessions.ts';
import { type Database, openDatabase } from '../../connection/client.ts';
import type { SessionQuery } from './session-lists.ts';
import { listSessions } from './session-search.ts';

/** `SESSIONS=1000000` measures a page of each filter, among so many sessions of one project and as many of others. */
const SESSIONS = Number(process.env['SESSIONS'] ?? 0);

const MAX_MS = 150;
const USUAL_MAX_MS = 20;
const TURNS = 9;

type Filter = Partial<SessionQuery>;

const endUser = (n: number): Filter => ({ endUserId: manyRowsId('end_user', n) });
const middle = new Date(Date.UTC(2026, 0) + (SESSIONS / 6) * 1000).toISOString();

/** Filters that enough sessions match to fill a page, or that an index serves. */
const USUAL: Readonly<Record<string, Filter>> = {
  none: {},
  'none, from the middle': { createdBefore: middle },
  'none, up from the middle': { createdAfter: middle, order: 'asc' },
  status: { status: 'ACTIVE' },
  externalId: { externalId: 'e-400' },
  'q of newer sessions': { q: 'support' },
  'metadata of newer sessions': { metadata: { plan: 'pro' } },
  'participant of all': endUser(1),
  'participant of all, the oldest first': { ...endUser(1), order: 'asc' },
  'participant of half': endUser(2),
  'participant of one in 1,000': endUser(3),
  'participant of the oldest tenth': endUser(4),
  'participant of all, externalId': { ...endUser(1), externalId: 'e-400' },
  'participant of all, q of newer sessions': { ...endUser(1), q: 'support' },
};

/** Filters that few sessions match, none, or only old ones, so that many sessions are read. */
const RARE: Readonly<Record<string, Filter>> = {
  'q of no session': { q: 'nothing' },
  'q of few sessions': { q: 'rare' },
  'metadata of few sessions': { metadata: { customer: 'c-17' } },
  'metadata of no session': { metadata: { plan: 'none' } },
  'q of the oldest tenth': { q: 'old' },
  'metadata of the oldest tenth': { metadata: { era: 'first' } },
  'q of a quarter, all of them old': { q: 'retired' },
  'a letter of the older half': { q: 'r' },
  'a rare and a frequent word': { q: 'support rare' },
  'a rare and a frequent letter': { q: 's z' },
  'a rare value and a frequent word': { q: 'sales', metadata: { customer: 'c-17' } },
  'two words of half of the sessions, which none has both': { q: 'support sales' },
  'two words of a quarter, all of them old, which none has both': { q: 'retired replaced' },
  'two words of half of the sessions, and a value of a third': {
    q: 'support sales',
    metadata: { plan: 'pro' },
  },
  'participant of all, status': { ...endUser(1), status: 'ACTIVE' },
  'participant of all, q of few sessions': { ...endUser(1), q: 'rare' },
  'participant of half, q of no session, from the middle': {
    ...endUser(2),
    q: 'support sales',
    createdBefore: middle,
  },
  'participant of one in 1,000, metadata of no session': {
    ...endUser(3),
    metadata: { plan: 'none' },
  },
};

test.runIf(SESSIONS > 0)(
  `a page of any filter takes at most ${MAX_MS} ms of the database's processor, also where many sessions must be looked at, and of a usual one less than ${USUAL_MAX_MS}`,
  async () => {
    await using database = await createTestDatabase();
    await using own = openDatabase(database.url, { connections: 1, statementTimeoutMs: 3_000_000 });
    await insertManySessions(own.sql, SESSIONS);
    const tooLong: [string, number][] = [];
    const lines: string[] = [];
    for (const [name, filter] of Object.entries({ ...USUAL, ...RARE })) {
      const { ms, pages, sessions } = await measure(own, filter);
      if (ms > MAX_MS || (name in USUAL && ms >= USUAL_MAX_MS)) tooLong.push([name, ms]);
      lines.push(`| ${name} | ${ms.toFixed(1)} | ${pages} | ${sessions} |`);
    }
    process.stdout.write(
      `| filter | processor, ms | pages of memory read | sessions |\n${lines.join('\n')}\n`,
    );
    expect(tooLong).toEqual([]);
  },
  3_600_000,
);

/** The least of `TURNS`: other work on the machine only adds to it. */
async function measure(database: Database, filter: Filter) {
  const { sql } = database;
  const read = async () => await listSessions(database, { ...MANY_SESSIONS, limit: 50, ...filter });
  const page = await read();
  const pagesBefore = await pagesRead(sql);
  await read();
  const pages = (await pagesRead(sql)) - pagesBefore;
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const before = await processorMs(sql);
    await read();
    times.push((await processorMs(sql)) - before);
  }
  return { ms: Math.min(...times), pages, sessions: page?.sessions.length ?? 0 };
}

/** Returns the processor time of the connection's own process until now. */
async function processorMs(sql: Sql): Promise<number> {
  const [row] = await sql`select pg_backend_pid() as pid`;
  const [nanoseconds] = (await readFile(`/proc/${row?.['pid']}/schedstat`, 'utf8')).split(' ');
  return Number(nanoseconds) / 1e6;
}

async function pagesRead(sql: Sql): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql`
    select sum(hits + reads)::int as pages from pg_stat_get_backend_io(pg_backend_pid())
    where object = 'relation'`;
  return Number(row?.['pages']);
}
