import * as db from '@session/db';
import { holdLocks } from '@session/testing';
import { expect } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

const url = '/monitoring/stats';

test('200 with statistics of the user’s own projects, and nothing of others', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  await api.createSession(ben);
  const answer = await api.inject(ana, { url });
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    {
      sessions: { active: 1, recording: 0, reconnecting: 0, lost: 0, waiting: 1 },
      messages: { total: 0, lastMinute: 0, lastMessageAt: null },
      agents: { starting: 0, running: 0 },
      recorders: [],
      monitored: [
        {
          sessionId,
          projectId,
          name: 'session',
          recorderId: null,
          recorderIds: [],
          status: 'waiting',
          connectedSince: null,
          messageCount: 0,
          lastMessageAt: null,
          reconnectAttempts: 0,
        },
      ],
      webhooks: { lastAt: null },
      drift: {
        unrecordedActiveSessions: 0,
        underRecordedSessions: 0,
        agentsWithoutWorkload: 0,
        staleRecorders: 0,
        recordersOverCapacity: 0,
        recordersWithWrongClock: 0,
      },
    },
  ]);
});

test('401 for a user who no longer exists', async ({ api }) => {
  const token = api.app.jwt.sign({ sub: '01890a5d-ac96-774b-bcce-b302099a8057' });
  const refused = await api.inject({ ...(await api.createUser()), token }, { url });
  expect([refused.statusCode, refused.json().code]).toEqual([401, 'unauthorized']);
});

test('while the statistics of a user are slow, another user gets theirs', async ({ database }) => {
  await using own = db.openDatabase(database.url);
  const held = Promise.withResolvers<object[]>();
  let slow = '';
  let reads = 0;
  const slowDatabase = answeredDatabase(own, (name, [userId]) => {
    if (name !== 'count_messages_of_user' || userId !== slow) return undefined;
    reads += 1;
    return held.promise;
  });
  await using api = await startTestApi(database.url, { deps: { database: slowDatabase } });
  const ana = await api.createUser();
  const ben = await api.createUser('ben');
  slow = ana.id;
  const requests = Promise.all(Array.from({ length: 10 }, () => api.inject(ana, { url })));
  await expect.poll(() => reads).toBe(1);
  expect((await api.inject(ben, { url })).statusCode).toBe(200);
  expect(reads).toBe(1);
  held.resolve([{ total: '7', lastMinute: '0', lastMessageAt: null }]);
  const totals = (await requests).map((answer) => answer.json().messages.total);
  expect(new Set(totals)).toEqual(new Set([7]));
});

test('slow requests of three users hold four connections, and leave the others to other requests', async ({
  database,
}) => {
  await using own = db.openDatabase(database.url, { connections: 1 });
  await using api = await startTestApi(`${database.url}?lock_timeout=0`);
  const users = [await api.createUser(), await api.createUser('ben'), await api.createUser('cleo')];
  await using lock = await holdLocks(
    database.url,
    async (sql) => await sql`lock table session_heads`,
  );
  const requests = Promise.all(users.map((user) => api.inject(user, { url })));
  const counts: number[] = [];
  const count = async () => {
    const waiting = await own.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    counts.push(waiting.length);
    return waiting.length;
  };
  await expect.poll(count).toBe(4);
  for (const user of users) {
    expect((await api.inject(user, { url: '/projects' })).statusCode).toBe(200);
  }
  await count();
  await lock[Symbol.asyncDispose]();
  expect((await requests).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  expect(Math.max(...counts)).toBe(4);
});

test('what people of one project wait for in vain is ended, and leaves the turns to others', async ({
  database,
}) => {
  await using own = db.openDatabase(database.url, { connections: 1 });
  await using api = await startTestApi(`${database.url}?lock_timeout=0`, {
    timeLimits: { requestMs: 300, statementMs: 30_000, serverMs: 120_000 },
  });
  const users = [await api.createUser(), await api.createUser('ben')];
  await using _ = await holdLocks(database.url, async (sql) => await sql`lock table session_heads`);
  const requests = Promise.all(users.map((user) => api.inject(user, { url })));
  expect((await requests).map(({ statusCode }) => statusCode)).toEqual([503, 503]);
  const waiting = () => own.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  // PostgreSQL's own limit of a statement is two minutes here.
  await expect.poll(waiting).toHaveLength(0);
});
