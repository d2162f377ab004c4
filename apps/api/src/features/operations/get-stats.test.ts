import * as db from '@session/db';
import { holdLocks } from '@session/testing';
import { expect } from 'vitest';
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

test('of ten slow requests two hold a connection at once, and leave the others to other requests', async ({
  api,
  ana,
  database,
}) => {
  await using own = db.openDatabase(database.url, { connections: 1 });
  await using lock = await holdLocks(
    database.url,
    async (sql) => await sql`lock table session_heads`,
  );
  const requests = Promise.all(Array.from({ length: 10 }, () => api.inject(ana, { url })));
  const counts: number[] = [];
  const count = async () => {
    const waiting = await own.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    counts.push(waiting.length);
    return waiting.length;
  };
  await expect.poll(count).toBeGreaterThanOrEqual(2);
  expect((await api.inject(ana, { url: '/projects' })).statusCode).toBe(200);
  await count();
  await lock[Symbol.asyncDispose]();
  await requests;
  expect(Math.max(...counts)).toBe(2);
});
