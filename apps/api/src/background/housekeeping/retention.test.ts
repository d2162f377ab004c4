import * as db from '@session/db';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { said, erasureTest as test } from '../../../testing/erasure-test.ts';
import { deleteRows } from './deleted-rows.ts';
import { Retention } from './retention.ts';

const DAY_MS = 86_400_000;

test('what is too old goes: CLOSED sessions as a whole, of ACTIVE ones the first messages, once a day', async ({
  api,
  ana,
  own,
  projectId,
}) => {
  const untouched = await api.createProject(ana);
  const forEver = await fill(api, ana, untouched, 3);
  const active = await fill(api, ana, projectId, 3);
  const closed = await fill(api, ana, projectId, 3);
  const recent = await fill(api, ana, projectId, 3);
  await close(api, ana, [closed, forEver]);
  await age(own, 31);
  await close(api, ana, [recent]);
  await db.appendMessages(api.deps.database, [said(active, 'of today')]);
  await limit(api, ana, projectId, 30);
  let time = 0;
  const retention = new Retention(api.deps, { now: () => time, batchSize: 2, pageSize: 2 });
  expect((await retention.work()).toSorted()).toEqual(
    [`3 messages of session ${active}`, `session ${closed}`].toSorted(),
  );
  expect(await contents(own)).toMatchObject({ [active]: ['of today'], [forEver]: [0, 1, 2] });
  expect(await contents(own)).toMatchObject({ [recent]: [0, 1, 2] });
  const found = await api.inject(ana, { url: `/sessions/${active}` });
  const [session] = await own.sql`select history_from from sessions where id = ${active}`;
  expect(found.json()).toMatchObject({
    historyFrom: new Date(session?.['history_from']).toISOString(),
    recording: { messageCount: 1 },
  });
  expect((await api.inject(ana, { url: `/sessions/${closed}` })).statusCode).toBe(404);
  expect(await own.sql`select type from session_events where session_id = ${closed}`).toEqual([
    { type: 'session.closed' },
    { type: 'session.deleted' },
  ]);
  const audit = await api.inject(ana, {
    url: `/projects/${projectId}/audit?action=session.deleted`,
  });
  expect(audit.json().items).toMatchObject([{ actor: null, target: closed }]);
  expect(await deleteRows(api.deps)).toEqual([closed]);
  // Only the next day finds what has become too old meanwhile.
  await age(own, 31);
  time += DAY_MS - 1;
  expect(await retention.work()).toEqual([]);
  time += 1;
  expect((await retention.work()).toSorted()).toEqual(
    [`1 messages of session ${active}`, `session ${recent}`].toSorted(),
  );
});

test('several processes that are cut off again and again delete the same once, and what is kept stays whole', async ({
  api,
  ana,
  own,
  projectId,
}) => {
  const sessions: string[] = [];
  for (let number = 0; number < 6; number += 1) {
    sessions.push(await fill(api, ana, projectId, 20));
  }
  await close(api, ana, sessions.slice(0, 3));
  await age(own, 31);
  const active = sessions.slice(3);
  for (const id of active) await db.appendMessages(own, [said(id, 'of today')]);
  await limit(api, ana, projectId, 30);
  // As after kills, each process has only the state in the rows.
  const once = async (workMs: number) => {
    let calls = 0;
    const now = () => (calls += 1);
    await new Retention(api.deps, { batchSize: 3, pageSize: 2, workMs, now }).work();
  };
  for (let round = 0; round < 30; round += 1)
    await Promise.all([once(5 + round), once(5 + 2 * round)]);
  const left = await contents(own);
  for (const id of active) expect(left[id]).toEqual(['of today']);
  const heads = await own.sql`
    select head.session_id as id, head.message_count::int as count, session.history_from is not null as "isCut"
    from session_heads head join sessions session on session.id = head.session_id
    where session.project_id = ${projectId}`;
  expect(heads.map(({ id }) => String(id)).toSorted()).toEqual(active.toSorted());
  expect(heads.every(({ count, isCut }) => count === 1 && isCut)).toBe(true);
  expect(
    await own.sql`select from session_events where type = 'session.deleted' and project_id = ${projectId}`,
  ).toHaveLength(3);
});

test('a CLOSED session stays when the project keeps it longer since it was listed', async ({
  api,
  ana,
  own,
  projectId,
}) => {
  const sessions = [await fill(api, ana, projectId, 1), await fill(api, ana, projectId, 1)];
  await close(api, ana, sessions);
  await age(own, 31);
  await limit(api, ana, projectId, 30);
  // The OWNER's change comes with the first deletion.
  await own.sql`
    create function keep() returns trigger language plpgsql as $$
    begin update projects set retention_days = null where id = new.project_id; return new; end $$`;
  await own.sql`
    create trigger keep after update of deleted_at on sessions for each row execute function keep()`;
  const done = await new Retention(api.deps).work();
  expect(sessions.filter((id) => done.includes(`session ${id}`))).toHaveLength(1);
  await own.sql`drop function keep cascade`;
  const left = await own.sql`
    select from sessions where project_id = ${projectId} and deleted_at is null`;
  expect(left).toHaveLength(1);
});

test('a project with much to delete delays no other: each has its turn', async ({
  api,
  ana,
  own,
}) => {
  const projects = [await api.createProject(ana), await api.createProject(ana)];
  const [first = '', second = ''] = projects.toSorted();
  const many: string[] = [];
  for (let count = 0; count < 8; count += 1) many.push(await fill(api, ana, first, 1));
  const one = await fill(api, ana, second, 1);
  await close(api, ana, [...many, one]);
  await age(own, 31);
  for (const id of projects) await limit(api, ana, id, 30);
  let calls = 0;
  const now = () => (calls += 1);
  const retention = new Retention(api.deps, { pageSize: 2, workMs: 5, now });
  const done = [...(await retention.work()), ...(await retention.work())];
  expect(done).toContain(`session ${one}`);
  expect(done.length).toBeLessThan(9);
  while (done.length < 9) done.push(...(await retention.work()));
  expect(done.toSorted()).toEqual([...many, one].map((id) => `session ${id}`).toSorted());
});

test('a session that fails holds up no other', async ({ api, ana, own, projectId }) => {
  const first = await fill(api, ana, projectId, 1);
  const second = await fill(api, ana, projectId, 1);
  await age(own, 31);
  await limit(api, ana, projectId, 30);
  await own.sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`;
  await own.sql.unsafe(
    `create trigger refuse before delete on messages for each row when (old.session_id = '${first}') execute function refuse()`,
  );
  const retention = new Retention(api.deps);
  await expect(retention.work()).rejects.toMatchObject({
    errors: [{ message: `deleting old history of session ${first} failed` }],
  });
  const left = await contents(own);
  expect([left[first], left[second]]).toEqual([[0], undefined]);
  await own.sql`drop function refuse cascade`;
});

/** Returns a new session with `count` messages. */
async function fill(api: TestApi, owner: TestUser, projectId: string, count: number) {
  const id = await api.createSession(owner, projectId);
  const messages = Array.from({ length: count }, (_, number) => said(id, `${number}`));
  await db.appendMessages(api.deps.database, messages);
  return id;
}

async function close(api: TestApi, user: TestUser, sessions: readonly string[]): Promise<void> {
  for (const id of sessions) {
    const closed = await api.inject(user, { method: 'POST', url: `/sessions/${id}/close` });
    expect(closed.statusCode).toBe(200);
  }
}

async function limit(api: TestApi, user: TestUser, projectId: string, retentionDays: number) {
  const url = `/projects/${projectId}`;
  const changed = await api.inject(user, { method: 'PATCH', url, payload: { retentionDays } });
  expect(changed.statusCode).toBe(200);
}

/** Makes everything older by `days`. */
async function age({ sql }: db.Database, days: number): Promise<void> {
  const by = `${days} days`;
  await sql`
    update sessions set created_at = created_at - ${by}::interval, closed_at = closed_at - ${by}::interval,
      history_from = history_from - ${by}::interval`;
  await sql`update messages set "timestamp" = "timestamp" - ${by}::interval`;
  await sql`update session_heads set last_at = last_at - ${by}::interval`;
}

/** Returns the contents of each session, in their order; numbers as such. */
async function contents({ sql }: db.Database): Promise<Record<string, unknown[]>> {
  const rows = await sql<{ id: string; content: string }[]>`
    select session_id as id, content from messages order by "timestamp"`;
  const sessions = Object.entries(Object.groupBy(rows, ({ id }) => id));
  return Object.fromEntries(
    sessions.map(([id, found = []]) => [
      id,
      found.map(({ content }) => (/^\d+$/.test(content) ? Number(content) : content)),
    ]),
  );
}
