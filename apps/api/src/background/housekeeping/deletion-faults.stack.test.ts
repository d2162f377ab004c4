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
  // 15,000 rows take long on a busy machine.
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
    from generate_series(1, 15000) n`;
  // After the first batch of 5,000 the API waits for this lock, so that it is killed in the middle. The locks
  // of the product have smaller numbers.
  await sql`select pg_advisory_lock(50000)`;
  await sql`
    create function hold() returns trigger language plpgsql as '
      begin
        if (select count(*) from messages) < 10000 then
          perform pg_advisory_xact_lock_shared(50000);
        end if;
        return null;
      end'`;
  await sql`create trigger hold after delete on messages for each statement execute function hold()`;
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
  await expect.poll(count).toBeLessThan(15_000);
  await second.end('SIGKILL');
  expect(await count()).toBe(10_000);
  await sql`select pg_advisory_unlock(50000)`;
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
