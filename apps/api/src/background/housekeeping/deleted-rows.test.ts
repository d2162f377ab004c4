import * as db from '@session/db';
import { createTestDatabase, holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { deleteRows } from './deleted-rows.ts';
import { FailedIds } from './failed-ids.ts';

/** All tables with rows of a project, except `deleted_rooms`, whose rows outlive it. */
const TABLES = [
  'agent_logs',
  'agents',
  'env_templates',
  'memberships',
  'message_search',
  'messages',
  'plan_templates',
  'projects',
  'recording_assignments',
  'recording_intervals',
  'removed_members',
  'session_heads',
  'sessions',
];

/** A call with these limits ends after the first full batch, or after one session. */
const NO_TIME = { workMs: 0, turnMs: 0 };

const refused = (id: string) => ({
  errors: [{ message: `deleting rows of session ${id} failed` }],
});

test('a deleted project leaves no row, however often the deletion is interrupted; other projects keep all', async () => {
  await using setting = await openSetting();
  const { api, ana } = setting;
  const kept = await fill(api, ana);
  const before = await setting.count();
  const doomed = await fill(api, ana);
  const removed = await api.inject(ana, { method: 'DELETE', url: `/projects/${doomed.projectId}` });
  expect(removed.statusCode).toBe(204);
  await stopAgents(api);
  const gone: string[] = [];
  // Each call stops after the first full batch, as after a crash.
  for (let call = 0; call < 20 && !gone.includes(doomed.projectId); call += 1) {
    gone.push(...(await deleteRows(api.deps, { ...NO_TIME, batchSize: 2 })));
  }
  expect(gone).toEqual([...doomed.sessionIds, doomed.projectId]);
  expect(await setting.count()).toEqual(before);
  expect(await deleteRows(api.deps)).toEqual([]);
  const found = await api.inject(ana, { url: `/projects/${kept.projectId}/sessions` });
  expect(found.json().items).toHaveLength(2);
});

test('a deleted session keeps its rows until its agents have stopped, and accepts no more messages', async () => {
  await using setting = await openSetting();
  const { api, ana } = setting;
  const { sessionIds } = await fill(api, ana);
  const [id = ''] = sessionIds;
  const removed = await api.inject(ana, { method: 'DELETE', url: `/sessions/${id}` });
  expect(removed.statusCode).toBe(204);
  expect(await db.listLiveAgents(api.deps.database)).toMatchObject([
    { sessionId: id, desired: 'stopped', sessionStatus: 'CLOSED' },
    { desired: 'running' },
  ]);
  expect(await say(api, id, 1)).toMatchObject({ sessions: 0, stored: 0 });
  expect(await deleteRows(api.deps)).toEqual([]);
  await stopAgents(api);
  expect(await deleteRows(api.deps)).toEqual([id]);
  expect(await setting.count()).toMatchObject({ sessions: 1, messages: 5, agents: 1, projects: 1 });
});

test('a session that cannot be deleted holds up no other', async () => {
  await using setting = await openSetting();
  const { api, sql } = setting;
  const { first, second } = await markEmpty(setting);
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`;
  await sql.unsafe(
    `create trigger refuse before delete on sessions for each row when (old.id = '${first}') execute function refuse()`,
  );
  let now = 0;
  const failed = new FailedIds(() => now);
  const remove = () => deleteRows(api.deps, NO_TIME, failed);
  await expect(remove()).rejects.toMatchObject(refused(first));
  // The call has time for one session, and skips the failing session, which would be the first.
  expect(await remove()).toEqual([second]);
  expect(await sql`select id from sessions where id in (${first}, ${second})`).toEqual([
    { id: first },
  ]);
  await sql`drop function refuse cascade`;
  expect(await remove()).toEqual([]);
  now = 60_000;
  expect(await remove()).toEqual([first]);
});

test('a session that was locked for a moment is deleted by the next call, and only one that stays locked is left out', async () => {
  await using setting = await openSetting('?lock_timeout=10');
  const { api, url } = setting;
  const { first, second } = await markEmpty(setting);
  const failed = new FailedIds(() => 0);
  const remove = () => deleteRows(api.deps, NO_TIME, failed);
  {
    await using _ = await lock(url, 'sessions', first);
    await expect(remove()).rejects.toMatchObject(refused(first));
  }
  expect(await remove()).toEqual([first]);
  await using _ = await lock(url, 'sessions', second);
  for (let call = 0; call < 2; call += 1) {
    await expect(remove()).rejects.toMatchObject(refused(second));
  }
  expect(await remove()).toEqual([]);
});

test('a session that was locked twice, and lost rows between, goes on with the next call', async () => {
  await using setting = await openSetting('?lock_timeout=10');
  const { api, ana, sql, url } = setting;
  const [id = ''] = (await fill(api, ana)).sessionIds;
  await db.markSessionDeleted(api.deps.database, id);
  await stopAgents(api);
  const failed = new FailedIds(() => 0);
  const remove = () => deleteRows(api.deps, { ...NO_TIME, batchSize: 2 }, failed);
  for (const left of [3, 1]) {
    {
      await using _ = await lock(url, 'messages', id);
      await expect(remove()).rejects.toMatchObject(refused(id));
    }
    expect(await remove()).toEqual([]);
    expect(await sql`select from messages where session_id = ${id}`).toHaveLength(left);
  }
});

test('what agents printed goes in steps before their session, and so do the agents', async () => {
  await using setting = await openSetting();
  const { api, ana, sql } = setting;
  const { sessionIds } = await fill(api, ana);
  const [id = ''] = sessionIds;
  await sql`
    insert into agent_logs (agent_id, first_line, first_byte, line_count, byte_count, last_at, times, lines)
    select id, n * 2, n * 4, 2, 4, now(), '{1,2}', '{a,b}' from agents, generate_series(0, 4) n
    where session_id = ${id}`;
  await db.markSessionDeleted(api.deps.database, id);
  await stopAgents(api);
  const left: unknown[] = ['5 5 1'];
  for (let call = 0; call < 12 && left.at(-1) !== undefined; call += 1) {
    await deleteRows(api.deps, { ...NO_TIME, batchSize: 2 });
    const [row] = await sql`
      select concat_ws(' ',
        (select count(*) from messages where session_id = ${id}),
        (select count(*) from agent_logs log join agents agent on agent.id = log.agent_id where agent.session_id = ${id}),
        (select count(*) from agents where session_id = ${id})) as counts
      from sessions where id = ${id}`;
    left.push(row?.['counts']);
  }
  expect(left).toEqual(['5 5 1', '3 5 1', '1 5 1', '0 3 1', '0 1 1', undefined]);
});

test('one call deletes as many sessions as it has time for', async () => {
  await using setting = await openSetting();
  const { api, ana, sql } = setting;
  const { projectId } = await fill(api, ana);
  const id = await api.createProject(ana);
  await insertDeleted(sql, { projectId: id, userId: ana.id, sessions: 60 });
  const gone = await deleteRows(api.deps, { now: () => 0 });
  expect(gone).toHaveLength(60);
  const kept = await sql`select distinct project_id as id from sessions`;
  expect([kept, await setting.count()]).toMatchObject([
    [{ id: projectId }],
    { agent_logs: 0, agents: 2, messages: 10, message_search: 0, sessions: 2 },
  ]);
});

test('large sessions with older marks hold up no session of another project, and least of all an erased one', async () => {
  await using setting = await openSetting();
  const { api, ana, sql } = setting;
  for (let count = 0; count < 20; count += 1) {
    const projectId = await api.createProject(ana);
    await insertDeleted(sql, { projectId, userId: ana.id, sessions: 1, rows: 9 });
  }
  await sql`update sessions set deleted_at = now() - interval '1 h'`;
  const [late, erased] = [await api.createSession(ana), await api.createSession(ana)];
  for (const id of [late, erased]) await db.markSessionDeleted(api.deps.database, id);
  await sql`
    insert into erasures (id, project_id, session_id, requested_by)
    select ${uuidv7()}, project_id, id, created_by from sessions where id = ${erased}`;
  const small = { ...NO_TIME, batchSize: 2 };
  expect(await deleteRows(api.deps, small)).toEqual([erased]);
  // Time for one turn of each project.
  let looks = 0;
  const now = () => {
    looks += 1;
    return Math.floor(looks / 3);
  };
  expect(await deleteRows(api.deps, { ...small, workMs: 22, now })).toEqual([late]);
});

interface Deleted {
  readonly projectId: string;
  readonly userId: string;
  readonly sessions: number;
  /** Of each session in each table. */
  readonly rows?: number;
}

/** Stores sessions that are marked as deleted, with rows in all tables from which rows are deleted in batches. */
async function insertDeleted(
  sql: db.Database['sql'],
  { projectId, userId, sessions, rows = 1 }: Deleted,
) {
  await sql`
    insert into sessions (id, project_id, name, created_by, status, close_reason, closed_at, deleted_at)
    select gen_random_uuid(), ${projectId}, 'session', ${userId}, 'CLOSED', 'user', now(), now()
    from generate_series(1, ${sessions}::int)`;
  const ofEach = sql`sessions session, generate_series(1, ${rows}::int) n where session.project_id = ${projectId}`;
  await sql`
    insert into messages (session_id, id, "timestamp", role, kind, content)
    select session.id, gen_random_uuid(), now() + n * interval '1 ms', 'user', 'text', 'x' from ${ofEach}`;
  await sql`
    insert into message_search (session_id, message_id, project_id, seen_at, words)
    select session.id, gen_random_uuid(), session.project_id, now(), '' from ${ofEach}`;
  await sql`
    insert into agents (id, session_id, role, created_by, status, desired, stopped_at)
    select gen_random_uuid(), session.id, 'echo-agent', session.created_by, 'Stopped', 'stopped', now() from ${ofEach}`;
  await sql`
    insert into agent_logs (agent_id, first_line, first_byte, line_count, byte_count, last_at, times, lines)
    select agent.id, 0, 0, 2, 4, now(), '{1,2}', '{a,b}'
    from agents agent join sessions session on session.id = agent.session_id
    where session.project_id = ${projectId}`;
}

/** Creates a project of `owner` with two sessions, each with five messages and an agent. */
async function fill(api: TestApi, owner: TestUser) {
  const projectId = await api.createProject(owner);
  const sessionIds = [];
  for (let count = 0; count < 2; count += 1) {
    const sessionId = await api.createSession(owner, projectId);
    const agent = { id: uuidv7(), sessionId, role: 'echo-agent', createdBy: owner.id };
    const options = { planId: null, envTemplateId: null, config: {} };
    await db.insertAgent(api.deps.database, { ...agent, ...options });
    await say(api, sessionId, 5);
    sessionIds.push(sessionId);
  }
  return { projectId, sessionIds };
}

async function say(api: TestApi, sessionId: string, count: number) {
  const message = { role: 'user', status: 'complete', kind: 'text', content: 'x' } as const;
  const part = { sessionId, receivedAt: Date.now(), metadata: null };
  const messages = Array.from({ length: count }, () => ({ ...message, ...part, id: uuidv7() }));
  return await db.appendMessages(api.deps.database, messages);
}

/** Marks two sessions as deleted that have neither messages nor agents. `first` is marked a minute before `second`. */
async function markEmpty({ api, ana, sql }: Setting) {
  const { sessionIds } = await fill(api, ana);
  for (const id of sessionIds) await db.markSessionDeleted(api.deps.database, id);
  await stopAgents(api);
  for (const table of ['messages', 'agents']) await sql`delete from ${sql(table)}`;
  const [first = '', second = ''] = sessionIds;
  await sql`update sessions set deleted_at = now() - interval '1 min' where id = ${first}`;
  return { first, second };
}

/** Sets the agents that have to stop to Stopped, as the reconciler does. */
async function stopAgents(api: TestApi): Promise<void> {
  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  for (const { id, desired } of await db.listLiveAgents(api.deps.database)) {
    if (desired === 'stopped') await db.updateAgentState(api.deps.database, id, end);
  }
}

/** Locks a session, or its messages, until disposal. */
async function lock(url: string, table: 'messages' | 'sessions', id: string) {
  const key = table === 'sessions' ? 'id' : 'session_id';
  return await holdLocks(
    url,
    async (sql) => await sql`select from ${sql(table)} where ${sql(key)} = ${id} for update`,
  );
}

type Setting = Awaited<ReturnType<typeof openSetting>>;

async function openSetting(query = '') {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(`${database.url}${query}`));
  const { sql } = stack.use(db.openDatabase(database.url, { connections: 1 }));
  const ana = await api.createUser();
  const owned = stack.move();
  return {
    api,
    ana,
    sql,
    url: database.url,
    /** Returns the number of rows of each table. */
    async count(): Promise<Record<string, number>> {
      const counts: Record<string, number> = {};
      for (const table of TABLES) counts[table] = (await sql`select 1 from ${sql(table)}`).length;
      return counts;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
