import { openDatabase } from '@session/db';
import { identify } from '@session/kit';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';
import { startApi } from '../../../testing/api-process.ts';

const TABLES = [
  'agent_logs',
  'agents',
  'audit_events',
  'memberships',
  'messages',
  'projects',
  'recording_assignments',
  'session_heads',
  'sessions',
];

test('a deleted project leaves no row, no room and no agent, although the API is killed twice meanwhile', async () => {
  await using database = await createTestDatabase();
  // 50,000 rows take long on a busy machine.
  await using own = openDatabase(database.url, { connections: 1, statementTimeoutMs: 60_000 });
  const { sql } = own;
  await using agents = await openTestAgents({ databaseUrl: database.url });
  const { api, ana } = agents;
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  await using first = await startApi(database.url, agents.folder);
  const { id } = await agents.start('echo-agent', sessionId);
  await agents.until(id, 'Running');
  const pid = (await agents.pidOf(id)) ?? 0;
  expect(await identify(pid)).toBeDefined();
  await sql`
    insert into messages (session_id, id, "timestamp", role, kind, content)
    select ${sessionId}, gen_random_uuid(), now() + n * interval '1 ms', 'user', 'text', 'x'
    from generate_series(1, 50000) n`;
  // Slow enough that the API can be killed meanwhile.
  await sql`create function dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return null; end'`;
  await sql`create trigger dawdle before delete on messages for each statement execute function dawdle()`;
  const removed = await api.inject(ana, { method: 'DELETE', url: `/projects/${projectId}` });
  expect(removed.statusCode).toBe(204);
  await first.end('SIGKILL');
  // As if the time of its lease had passed.
  const expire = () => sql`update leases set expires_at = now() - interval '1 s'`;
  await expire();

  await using second = await startApi(database.url, agents.folder);
  const count = async () => {
    const [row] = await sql<{ count: number }[]>`select count(*)::int from messages`;
    return row?.count;
  };
  const middle = { interval: 20 };
  await expect.poll(count, middle).toBeLessThan(50_000);
  await second.end('SIGKILL');
  expect(await count()).toBeGreaterThan(0);
  await expire();

  await using stack = new AsyncDisposableStack();
  stack.use(await startApi(database.url, agents.folder));
  const left = async () => {
    const found = [];
    for (const table of TABLES) {
      if ((await sql`select 1 from ${sql(table)} limit 1`).length > 0) found.push(table);
    }
    return found;
  };
  await expect.poll(left).toEqual([]);
  await expect.poll(() => api.deps.rooms.listRooms()).not.toContain(sessionId);
  expect(await identify(pid)).toBeUndefined();
});
