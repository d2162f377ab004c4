import { holdLocks } from '@session/testing';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { addErasure, eraseOnRequest, readErasure } from '../../../testing/erasures.ts';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendLog, findLogEnd } from '../agents/agent-log-appends.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { latestMessages } from '../messages/latest-messages.ts';
import { listLastWords, listNewestWords, listTextsAfter } from '../messages/spoken-messages.ts';
import {
  eraseAgentLogs,
  eraseMessages,
  listMessagesOfPerson,
  WALKED_FOR_ERASURE,
} from './erased-messages.ts';

const EPOCH = '1970-01-01T00:00:00.000Z';
const END = '9999-12-31T23:59:59.999Z';

async function newErasure(project: TestProject, sessionId: string): Promise<string> {
  return await addErasure(project, { sessionId, identity: 'user-1' });
}

/** Stores more messages than one transaction erases, and a request to erase them an hour later. */
async function storeMany(project: TestProject) {
  const sessionId = await project.newSession();
  const messages = Array.from({ length: 600 }, () => typedText(sessionId));
  await appendMessages(project, messages);
  await project.sql`update session_heads set last_at = now() - interval '1 h' where session_id = ${sessionId}`;
  const erasureId = await newErasure(project, sessionId);
  return { sessionId, ids: messages.map(({ id }) => id), erasureId };
}

async function rowsOf({ sql }: TestProject, sessionId: string) {
  return await sql<Record<string, string>[]>`
    select id, content, status, metadata, erased_at as "erasedAt" from messages
    where session_id = ${sessionId} order by "timestamp"`;
}

async function readLatest(project: TestProject, sessionId: string, since: string) {
  const { userId } = project;
  const latest = await latestMessages(project, { sessionId, userId, since, limit: 100 });
  if (!latest) throw new Error('the session exists');
  return latest;
}

test('an erased message keeps its id, time and role alone, and comes to readers as a new version', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [said, other] = [typedText(sessionId), typedText(sessionId, { content: 'kept' })];
  await appendMessages(project, [said, other]);
  const before = await readLatest(project, sessionId, EPOCH);
  const erasureId = await newErasure(project, sessionId);
  const ids = [said.id, uuidv7()];
  const erase = async () => await eraseMessages(project, { sessionId, ids, erasureId });
  expect(await erase()).toEqual({ erased: 1, isLeft: false });
  const latest = await readLatest(project, sessionId, before.nextSince);
  expect(latest.messages).toHaveLength(1);
  const [tombstone] = latest.messages;
  expect(tombstone).toMatchObject({ id: said.id, role: 'user', content: '', status: 'complete' });
  expect(tombstone?.timestamp).toBe(before.messages[0]?.timestamp);
  expect(JSON.parse(tombstone?.metadata ?? '')).toEqual({
    kind: 'text',
    erased: { at: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/), erasureId },
  });
  expect((await rowsOf(project, sessionId))[1]).toMatchObject({ id: other.id, content: 'kept' });
  // A second erasure changes nothing.
  expect(await erase()).toEqual({ erased: 0, isLeft: false });
  expect((await readLatest(project, sessionId, latest.nextSince)).messages).toEqual([]);
});

test('an erased message keeps its sequence number, which names nobody', async ({ project }) => {
  const sessionId = await project.newSession();
  const seq = { q: 'k3x9qa7b', n: 3 };
  const said = typedText(sessionId, { metadata: { kind: 'text', participant: null, seq } });
  await appendMessages(project, [said]);
  const erasureId = await eraseOnRequest(project, sessionId, [said.id]);
  const [row] = await rowsOf(project, sessionId);
  const metadata: unknown = JSON.parse(row?.['metadata'] ?? '');
  const at: unknown = expect.any(String);
  expect(metadata).toEqual({ kind: 'text', seq, erased: { at, erasureId } });
});

test('queries for spoken and written words skip erased messages', async ({ project }) => {
  const sessionId = await project.newSession();
  const [kept, gone] = [typedText(sessionId, { content: 'kept' }), typedText(sessionId)];
  await appendMessages(project, [kept, gone]);
  await eraseOnRequest(project, sessionId, [gone.id]);
  const of = { sessionId, limit: 9, characters: 9, exceptFrom: [] };
  const newest = await listNewestWords(project, of);
  const after = await listTextsAfter(project, { sessionId, after: EPOCH, limit: 9 });
  const last = await listLastWords(project, [sessionId], 9);
  for (const words of [newest, after, last]) {
    expect(words.map(({ content }) => content)).toEqual(['kept']);
  }
});

test('one transaction moves the clock of the session at most 0.4 s ahead of now', async ({
  project,
}) => {
  const request = await storeMany(project);
  const first = await eraseMessages(project, request);
  expect(first.isLeft).toBe(true);
  expect(first.erased).toBeGreaterThan(390);
  expect(first.erased).toBeLessThanOrEqual(401);
  const [ahead] = await project.sql<{ ms: number }[]>`
    select (extract(epoch from last_at - clock_timestamp()) * 1000)::int as ms from session_heads`;
  expect(ahead?.ms).toBeLessThanOrEqual(400);
  await project.sql`update session_heads set last_at = now() + interval '1 min' where session_id = ${request.sessionId}`;
  expect(await eraseMessages(project, request)).toEqual({ erased: 0, isLeft: true });
});

test('messages that are deleted meanwhile do not hide that others are left', async ({
  project,
}) => {
  const request = await storeMany(project);
  await using lock = await holdLocks(project.url, async (sql) => {
    await sql`select from session_heads where session_id = ${request.sessionId} for update`;
    await sql`
      delete from messages
      where id in (select id from messages where session_id = ${request.sessionId} order by "timestamp" limit 5)`;
  });
  const erased = eraseMessages(project, request);
  const waiting = () => project.sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  await lock[Symbol.asyncDispose]();
  expect((await erased).isLeft).toBe(true);
});

test('a tombstone stands above the floor of the last restore', async ({ project }) => {
  const sessionId = await project.newSession();
  const said = typedText(sessionId);
  await appendMessages(project, [said]);
  const floor = new Date(Date.now() + 300).toISOString();
  await project.sql`insert into restores (floor_at) values (${floor})`;
  await eraseOnRequest(project, sessionId, [said.id]);
  const rows = await project.sql`select 1 from messages where completed_at > ${floor}`;
  expect(rows).toHaveLength(1);
});

test('search rows and deliveries of a message are deleted with it, and counted', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const { sql } = project;
  const said = [typedText(sessionId), typedText(sessionId)] as const;
  await appendMessages(project, said);
  const webhookId = await addWebhook(project);
  await sql`
    insert into message_search (session_id, message_id, project_id, seen_at, words)
    select session_id, id, ${project.projectId}, "timestamp", to_tsvector('simple', content) from messages`;
  await sql`
    insert into webhook_deliveries (webhook_id, session_id, seen_at, id, type, attempts, duration_ms, response)
    select ${webhookId}, session_id, "timestamp", id, 'message.stored', 1, 1, content from messages`;
  await sql`
    insert into webhook_deliveries (webhook_id, session_id, seen_at, id, type, attempts, duration_ms, response)
    select ${webhookId}, session_id, 'epoch', id, 'message.pending', 1, 1, content from messages limit 1`;
  const erasureId = await eraseOnRequest(project, sessionId, [said[0].id]);
  expect(await sql`select message_id from message_search`).toEqual([{ message_id: said[1].id }]);
  expect(await sql`select id from webhook_deliveries`).toEqual([{ id: said[1].id }]);
  const { counts } = await readErasure(project, erasureId);
  expect(counts).toMatchObject({ searchRows: 1, deliveries: 2 });
});

test('a session without a head has nothing to erase', async ({ project }) => {
  const found = await eraseMessages(project, {
    sessionId: uuidv7(),
    ids: [uuidv7()],
    erasureId: uuidv7(),
  });
  expect(found).toEqual({ erased: 0, isLeft: false });
});

test('the messages of a person are those of all their stays, their joins, and those that they may have sent', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const user = `user-${uuidv4()}`;
  const by = (identity: string | null, more: object = {}) =>
    typedText(sessionId, {
      metadata: { kind: 'text', participant: identity && { identity }, ...more },
    });
  const own = [
    by(user),
    by(`${user}-123456`),
    { ...by(`${user}-1`), kind: 'participant_joined', role: 'system' as const },
    by(null, { candidates: ['agent-x', `${user}-2`] }),
  ];
  const others = [
    by(`user-${uuidv4()}`),
    by(null),
    by(null, { candidates: ['agent-x'] }),
    by(null, { candidates: null }),
    typedText(sessionId, { metadata: null }),
    by(`agent-${user}`),
  ];
  await appendMessages(project, [...own, ...others]);
  const page = { sessionId, after: EPOCH, until: END };
  const found = await listMessagesOfPerson(project, { ...page, identity: `${user}-99` });
  expect(found.next).toBeUndefined();
  expect(new Set(found.ids)).toEqual(new Set(own.map(({ id }) => id)));
  const ids = own.map(({ id }) => id);
  await eraseOnRequest(project, sessionId, ids);
  expect(await listMessagesOfPerson(project, { ...page, identity: user })).toMatchObject({
    ids: [],
  });
  const agent = await listMessagesOfPerson(project, { ...page, identity: 'agent-x' });
  expect(agent.ids).toEqual([others[2]?.id]);
});

test('a long session is searched in steps, until a time', async ({ project }) => {
  const sessionId = await project.newOldSession();
  const [first, last] = [new Date('2001-01-01'), new Date('2002-01-01')];
  await project.fill`
    insert into messages (session_id, id, "timestamp", role, kind, content, metadata)
    select ${sessionId}, gen_random_uuid(), ${first.toISOString()}::timestamptz + n * interval '1 ms', 'user', 'text', 'x',
      jsonb_build_object('participant', jsonb_build_object('identity', case when n % 1000 = 0 then 'user-1' else 'user-2' end))
    from generate_series(1, ${WALKED_FOR_ERASURE + 1000}) n`;
  await project.sql`
    insert into messages (session_id, id, "timestamp", role, kind, content, metadata)
    values (${sessionId}, gen_random_uuid(), ${last.toISOString()}, 'user', 'text', 'x', '{"participant": {"identity": "user-1"}}')`;
  const page = { sessionId, identity: 'user-1', until: '2001-06-01T00:00:00.000Z' };
  const one = await listMessagesOfPerson(project, { ...page, after: EPOCH });
  expect(one).toMatchObject({ ids: { length: 5 }, next: '2001-01-01T00:00:05.000Z' });
  const two = await listMessagesOfPerson(project, { ...page, after: one.next ?? '' });
  expect(two).toMatchObject({ ids: { length: 1 }, next: undefined });
});

test('the lines that agents of the session printed are erased, and the next line keeps its number', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const agentId = await addAgent(project, { sessionId });
  const other = await addAgent(project, { sessionId: await project.newSession() });
  const at = Date.now() * 1000;
  for (const id of [agentId, other]) {
    for (const line of ['one', 'two']) {
      await appendLog(project, id, await findLogEnd(project, id), [{ at, line }]);
    }
  }
  const end = await findLogEnd(project, agentId);
  const erasureId = await newErasure(project, sessionId);
  for (let turn = 0; turn < 2; turn += 1) await eraseAgentLogs(project, { sessionId, erasureId });
  expect(await findLogEnd(project, agentId)).toEqual(end);
  const left = await project.sql`
    select agent_id, lines from agent_logs order by agent_id, first_line`;
  expect(left.filter((row) => row['agent_id'] === agentId)).toMatchObject([{ lines: [''] }]);
  expect(left.filter((row) => row['agent_id'] === other)).toHaveLength(2);
  expect((await readErasure(project, erasureId)).counts).toMatchObject({ agentLogs: 2 });
});
