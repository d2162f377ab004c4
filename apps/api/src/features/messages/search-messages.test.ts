import * as db from '@session/db';
import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi, type TestApi } from '../../../testing/api.ts';
import { apiTest } from '../../../testing/api-test.ts';
import { spoken } from '../../../testing/history.ts';
import { startSearchWork } from '../../../testing/search-work.ts';
import { append } from '../../../testing/webhook-test.ts';
import { markMoved } from '../../background/followers/follower-marking.ts';

const test = apiTest.extend(
  'find',
  ({ api, ana, projectId }) =>
    async (query: Record<string, string>, user = ana) => {
      const search = new URLSearchParams(query).toString();
      return await api.inject(user, { url: `/projects/${projectId}/messages/search?${search}` });
    },
);

async function countSearches({ sql }: db.DatabaseAccess): Promise<number> {
  const running = await sql`
    select from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '/* search_messages %'`;
  return running.length;
}

async function fill({ deps: { database } }: TestApi): Promise<void> {
  await markMoved(database);
  await using running = startSearchWork(database);
  await expect.poll(async () => (await db.countFollowers(database, 'search')).waiting).toBe(0);
  expect(running.log.warn).not.toHaveBeenCalled();
}

test('a message is found with its session, a snippet and where its words are', async ({
  api,
  find,
  sessionId,
}) => {
  const row = spoken(sessionId, { content: 'Wo ist der Schlüssel?' });
  await append(api, [row]);
  await fill(api);
  const answer = (await find({ q: 'SCHLÜSSEL' })).json();
  expect(answer).toMatchObject({
    items: [
      {
        sessionId,
        sessionName: expect.any(String),
        message: { id: row.id, sessionId, content: row.content },
        snippet: row.content,
        highlights: [[11, 9]],
      },
    ],
    nextCursor: null,
    lag: { sessions: 0, seconds: 0 },
  });
});

test('in the language of the project other forms of a word are found, once all is indexed again', async ({
  api,
  ana,
  find,
  projectId,
  sessionId,
}) => {
  const content = 'Wo sind die Schlüssel?';
  await append(api, [spoken(sessionId, { content })]);
  await fill(api);
  const payload = { searchLanguage: 'german' };
  await api.inject(ana, { method: 'PATCH', url: `/projects/${projectId}`, payload });
  expect((await find({ q: 'Schlüsseln' })).json()).toMatchObject({
    items: [],
    lag: { sessions: 1 },
  });
  await using _ = startSearchWork(api.deps.database);
  await expect
    .poll(async () => (await find({ q: 'Schlüsseln' })).json())
    .toMatchObject({
      items: [{ snippet: content, highlights: [[12, 9]] }],
      lag: { sessions: 0, seconds: 0 },
    });
  const frequent = await find({ q: 'sind die' });
  expect([frequent.statusCode, frequent.json().detail]).toEqual([
    400,
    expect.stringContaining('Common words of the project’s language'),
  ]);
});

test('pages follow each other by `nextCursor`, and each message comes once', async ({
  api,
  find,
  sessionId,
}) => {
  const rows = Array.from({ length: 5 }, (_, n) => spoken(sessionId, { content: `word ${n}` }));
  await append(api, rows);
  await fill(api);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: { message: { id: string } }[]; nextCursor: string | null } = (
      await find({ q: 'word', limit: '2', ...(cursor !== '' && { cursor }) })
    ).json();
    seen.push(...page.items.map(({ message }) => message.id));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(rows.map(({ id }) => id).toReversed());
});

test.for([
  ['', 'q'],
  ['   ', 'at least one word'],
  ['" - "', 'at least one word'],
  ['& | ! ( )', 'at least one word'],
  ['x'.repeat(1000), 'q'],
  ['a\0b', 'NUL'],
])('400 for the query %j, with the reason', async ([q = '', reason], { find }) => {
  const answer = await find({ q });
  expect(answer.statusCode).toBe(400);
  expect(answer.body).toContain(reason);
});

test.for([
  { cursor: 'x' },
  { cursor: uuidv7() },
  { sessionId: 'x' },
  { role: 'system' },
  { from: 'yesterday' },
  { limit: '51' },
  { other: '1' },
])('400 for %j', async (query, { find }) => {
  expect((await find({ q: 'word', ...query })).statusCode).toBe(400);
});

test('503 when a search takes too long, with what to do about it', async ({
  api,
  find,
  sessionId,
}) => {
  await append(api, [spoken(sessionId, { content: 'word' })]);
  await fill(api);
  const { sql } = api.deps.database;
  await sql`alter table message_search rename to stored_words`;
  await sql`create view message_search as select * from stored_words where pg_sleep(3) is not null`;
  const answer = await find({ q: 'word' });
  await sql`drop view message_search`;
  await sql`alter table stored_words rename to message_search`;
  expect(answer.json()).toMatchObject({ status: 503, code: 'search_too_broad' });
  expect(answer.json().detail).toContain('rarer word');
});

test('of 20 slow searches three hold a connection at once, and leave the others to other requests', async ({
  api,
  ana,
  database,
  find,
}) => {
  await using own = db.openDatabase(database.url, { connections: 1 });
  await using lock = await holdLocks(
    database.url,
    async (sql) => await sql`lock table message_search`,
  );
  const searches = Promise.all(Array.from({ length: 20 }, () => find({ q: 'word' })));
  const counts: number[] = [];
  const count = async () => {
    const running = await countSearches(own);
    counts.push(running);
    return running;
  };
  await expect.poll(count).toBeGreaterThanOrEqual(3);
  expect((await api.inject(ana, { url: '/projects' })).statusCode).toBe(200);
  await count();
  await lock[Symbol.asyncDispose]();
  await searches;
  expect(Math.max(...counts)).toBe(3);
});

test('404 for an outsider, even while slow searches have all turns', async ({ database }) => {
  await using own = db.openDatabase(database.url);
  const held = Promise.withResolvers<object[]>();
  let running = 0;
  const slowDatabase = answeredDatabase(own, (name) => {
    if (name !== 'search_messages') return undefined;
    running += 1;
    return held.promise;
  });
  await using api = await startTestApi(database.url, { deps: { database: slowDatabase } });
  const [ana, eve] = [await api.createUser(), await api.createUser('eve')];
  const projectId = await api.createProject(ana);
  const search = async (user: typeof ana, id: string) => {
    const url = `/projects/${id}/messages/search?q=word`;
    return (await api.inject(user, { url })).statusCode;
  };
  const searches = Promise.all(Array.from({ length: 4 }, () => search(ana, projectId)));
  await expect.poll(() => running).toBe(3);
  expect([await search(eve, projectId), await search(eve, uuidv7())]).toEqual([404, 404]);
  expect(running).toBe(3);
  held.resolve([]);
  await searches;
});

test('the searches of many members of a project delay the search in another project by one', async ({
  api,
  ana,
  database,
}) => {
  const members = await Promise.all(Array.from({ length: 12 }, () => api.createUser('ben')));
  const busy = await api.createProject(
    ana,
    members.map((member) => [member, 'MEMBER']),
  );
  const other = await api.createProject(ana);
  await using lock = await holdLocks(
    database.url,
    async (sql) => await sql`lock table message_search`,
  );
  const answered: string[] = [];
  const search = async (user: typeof ana, projectId: string) => {
    await api.inject(user, { url: `/projects/${projectId}/messages/search?q=word` });
    answered.push(projectId);
  };
  const searches = members.map((member) => search(member, busy));
  await using own = db.openDatabase(database.url, { connections: 1 });
  await expect.poll(() => countSearches(own)).toBe(3);
  const last = search(ana, other);
  await api.inject(ana, { url: '/projects' });
  await lock[Symbol.asyncDispose]();
  await Promise.all([...searches, last]);
  expect(answered.indexOf(other)).toBeLessThan(8);
});
