import { setTimeout as pause } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { readDatabaseClock } from '../../connection/client.ts';
import { markSessionDeleted } from '../sessions/deletions.ts';
import { listIdleSessions } from '../sessions/idle-sessions.ts';
import { closeSession } from '../sessions/session-end.ts';
import { findSession } from '../sessions/sessions.ts';
import { appendMessages } from './append-messages.ts';
import { IMPORT_MESSAGES, type ImportedMessageRow, importMessages } from './imported-messages.ts';
import { latestMessages } from './latest-messages.ts';
import { readMessagesForExport, sayMessage } from './messages.ts';
import { pageMessages } from './read-messages.ts';
import { readStateMessages } from './state-messages.ts';

const MAY = Date.parse('2026-05-01T12:00:00.000Z');
const END_OF_TIME = '9999-12-31T23:59:59.999Z';
const EPOCH = '1970-01-01T00:00:00.000Z';

function said(ms: number, part: Partial<ImportedMessageRow> = {}): ImportedMessageRow {
  const participant = { identity: 'import-Ada', name: 'Ada', sid: null, kind: 'standard' };
  const metadata = { kind: 'text', participant, source: 'import', rawId: String(ms) };
  const content = `said at ${ms}`;
  return { id: uuidv7(), saidAt: MAY + ms, role: 'user', content, metadata, ...part };
}

async function importInto(
  { sql, userId }: TestProject,
  sessionId: string,
  ...messages: ImportedMessageRow[]
) {
  return await importMessages({ sql }, sessionId, messages, userId);
}

/** Reads on by `since` to the end, `limit` messages at a time. */
async function readOn(project: TestProject, sessionId: string, since: string, limit = 500) {
  const read: { id: string; seenAt: string }[] = [];
  for (let from = since; ; ) {
    const page = { sessionId, userId: project.userId, since: from, limit };
    const latest = await latestMessages(project, page);
    if (!latest) throw new Error('the session is there');
    read.push(...latest.messages);
    from = latest.nextSince;
    if (!latest.hasMore) return { read, ids: read.map(({ id }) => id), nextSince: from };
  }
}

async function headOf({ sql }: TestProject, sessionId: string) {
  const [head] = await sql`
    select message_count::int as count, last_at <= now() + interval '1 s' as near, last_at::text as at
    from session_heads where session_id = ${sessionId}`;
  return head;
}

async function rowsOf({ sql }: TestProject, sessionId: string) {
  return await sql`select * from messages where session_id = ${sessionId} order by "timestamp"`;
}

test('messages keep the times at which they were said; of the same time each is a millisecond later', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const messages = [said(0), said(0), said(1), said(5)];
  const outcome = await importInto(project, sessionId, ...messages);
  expect(outcome).toEqual({ outcome: 'imported', imported: 4 });
  const { userId } = project;
  const page = await pageMessages(project, { sessionId, userId, limit: 3 });
  const [newest, , third] = page?.messages ?? [];
  expect(page?.messages.map(({ timestamp }) => Date.parse(timestamp) - MAY)).toEqual([5, 2, 1]);
  expect(newest).toMatchObject({ id: messages[3]?.id, role: 'user', content: 'said at 5' });
  expect(Date.now() - Date.parse(newest?.createdAt ?? '')).toBeLessThan(60_000);
  const cursor = third?.id;
  const last = await pageMessages(project, { sessionId, userId, limit: 3, cursor });
  expect(last?.messages.map(({ id }) => id)).toEqual([messages[0]?.id]);
  const batch = { sessionId, userId, after: EPOCH, limit: 10 };
  const file = await readMessagesForExport(project, batch);
  expect(file?.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
});

test('a request may end between messages of one time: the next ones stand behind them, and an older one is refused', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const requests = [[said(0), said(0), said(0)], [said(0)], [said(0), said(1), said(9)]];
  for (const messages of requests) {
    expect(await importInto(project, sessionId, ...messages)).toMatchObject({
      imported: messages.length,
    });
  }
  const rows = await rowsOf(project, sessionId);
  expect(rows.map(({ id }) => id)).toEqual(requests.flat().map(({ id }) => id));
  expect(rows.map(({ timestamp }) => Date.parse(timestamp) - MAY)).toEqual([0, 1, 2, 3, 4, 5, 9]);
  for (const ms of [-1, 5, 8]) {
    expect(await importInto(project, sessionId, said(ms))).toEqual({ outcome: 'out_of_order' });
  }
});

test('of messages of one time, a new one before a stored one is refused', async ({ project }) => {
  const sessionId = await project.newSession();
  const [one, two, three] = [said(0), said(0), said(0)];
  await importInto(project, sessionId, one, two);
  for (const messages of [
    [one, three, two],
    [three, one, two],
  ]) {
    expect(await importInto(project, sessionId, ...messages)).toEqual({ outcome: 'out_of_order' });
  }
  expect(await rowsOf(project, sessionId)).toHaveLength(2);
  expect(await importInto(project, sessionId, one, two, three)).toMatchObject({ imported: 1 });
});

test('a reader by `since` misses none, though all were said before that time; one since a join gets none', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const { userId } = project;
  const { nextSince } = await readOn(project, sessionId, END_OF_TIME);
  const first = Array.from({ length: 40 }, (_, index) => said(index));
  await importInto(project, sessionId, ...first);
  const half = await readOn(project, sessionId, nextSince, 7);
  expect(half.ids).toEqual(first.map(({ id }) => id));
  const second = [said(100), said(101)];
  await importInto(project, sessionId, ...second);
  const live = typedText(sessionId, { receivedAt: 0 });
  await appendMessages(project, [live]);
  const rest = await readOn(project, sessionId, half.nextSince);
  expect(rest.ids).toEqual([...second, live].map(({ id }) => id));
  const all = await readOn(project, sessionId, EPOCH, 7);
  expect(all.ids).toEqual([...first, ...second, live].map(({ id }) => id));
  const seen = all.read.map(({ seenAt }) => seenAt);
  expect(seen).toEqual([...new Set(seen)].toSorted());
  const joined = { sessionId, userId, since: EPOCH, limit: 500, from: nextSince };
  const later = await latestMessages(project, joined);
  expect(later?.messages.map(({ id }) => id)).toEqual([live.id]);
});

test('a repeat changes nothing, with more behind it only that is stored, and a text of another content none of it', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [one, two, three] = [said(0), said(1), said(2)];
  await importInto(project, sessionId, one, two);
  const rows = await rowsOf(project, sessionId);
  const head = await headOf(project, sessionId);
  expect(head).toMatchObject({ count: 2, near: true });
  expect(await importInto(project, sessionId, one, two)).toEqual({
    outcome: 'imported',
    imported: 0,
  });
  const other = { ...three.metadata, participant: { identity: 'import-Ben', name: 'Ben' } };
  for (const changed of [
    { content: 'other' },
    { role: 'assistant' as const },
    { metadata: other },
  ]) {
    const outcome = await importInto(project, sessionId, one, { ...two, ...changed }, three);
    expect(outcome).toEqual({ outcome: 'taken', index: 1 });
  }
  expect(await rowsOf(project, sessionId)).toEqual(rows);
  expect(await headOf(project, sessionId)).toEqual(head);
  expect(await importInto(project, sessionId, one, two, three)).toMatchObject({ imported: 1 });
  expect(await headOf(project, sessionId)).toMatchObject({ count: 3 });
});

test('nothing is imported behind a message of the session itself, nor before the newest, nor from the future', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const later = said(10);
  await importInto(project, sessionId, later);
  expect(await importInto(project, sessionId, said(9))).toEqual({ outcome: 'out_of_order' });
  const tomorrow = said(0, { saidAt: Date.now() + 86_400_000 });
  expect(await importInto(project, sessionId, tomorrow)).toEqual({ outcome: 'in_future' });
  expect(await importInto(project, sessionId, said(10))).toMatchObject({ imported: 1 });
  const live = typedText(sessionId);
  await appendMessages(project, [live]);
  expect(await importInto(project, sessionId, said(11))).toEqual({ outcome: 'begun' });
  expect(await importInto(project, sessionId, later)).toMatchObject({ imported: 0 });
  const same = said(0, { id: live.id, content: live.content });
  expect(await importInto(project, sessionId, same)).toEqual({ outcome: 'taken', index: 0 });
  expect(await headOf(project, sessionId)).toMatchObject({ count: 3 });
});

test('a message that is just ahead of the database’s clock is waited for', async ({ project }) => {
  const sessionId = await project.newSession();
  const message = said(0, { saidAt: Math.ceil(await readDatabaseClock(project)) + 200 });
  let outcome = await importInto(project, sessionId, message);
  while (outcome.outcome === 'ahead') {
    expect(outcome.waitMs).toBeGreaterThan(0);
    await pause(outcome.waitMs);
    outcome = await importInto(project, sessionId, message);
  }
  expect(outcome).toMatchObject({ imported: 1 });
});

test('the session’s clock stays within a second of the database’s, and above the floor of a restore', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const { sql } = project;
  await sql`update session_heads set last_at = now() + interval '61 s' where session_id = ${sessionId}`;
  const outcome = await importInto(project, sessionId, said(0));
  const waitMs = outcome.outcome === 'ahead' ? outcome.waitMs : 0;
  expect(waitMs).toBeGreaterThan(50_000);
  expect(waitMs).toBeLessThanOrEqual(60_001);
  expect(await rowsOf(project, sessionId)).toHaveLength(0);
  await sql`update session_heads set last_at = now() where session_id = ${sessionId}`;
  const [restore] = await sql`
    insert into restores (floor_at) values (now() + interval '500 ms') returning floor_at::text as at`;
  await importInto(project, sessionId, said(0));
  const [found] = await sql`
    select "timestamp" < ${restore?.['at']} as early, completed_at > ${restore?.['at']} as late,
      completed_at = created_at as "isCreated"
    from messages`;
  expect(found).toEqual({ early: true, late: true, isCreated: true });
});

test('a session’s newest message is as late as the import; its plans and its idleness are as before', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const { sql, userId } = project;
  await sql`update sessions set created_at = now() - interval '2 h' where id = ${sessionId}`;
  const participant = { identity: `user-${userId}`, name: 'Ada' };
  await importInto(project, sessionId, said(0, { metadata: { participant, source: 'import' } }));
  const session = await findSession(project, { id: sessionId, userId });
  expect(session?.messageCount).toBe(1);
  expect(Date.now() - Date.parse(session?.lastMessageAt ?? '')).toBeLessThan(60_000);
  expect(await listIdleSessions(project, 3_600_000)).toEqual([sessionId]);
  const state = await readStateMessages(project, { sessionId, userId, asOf: END_OF_TIME });
  expect(state?.messages).toEqual([]);
});

test('a CLOSED and a deleted session take nothing', async ({ project }) => {
  const ends = [
    (id: string) => closeSession(project, id, 'user'),
    (id: string) => markSessionDeleted(project, id),
  ];
  for (const end of ends) {
    const sessionId = await project.newSession();
    await end(sessionId);
    expect(await importInto(project, sessionId, said(0))).toEqual({ outcome: 'closed' });
  }
  const { sql, userId } = project;
  for (const { id } of await sql<
    { id: string }[]
  >`select id from sessions where deleted_at is not null`) {
    const rows = [{ ...said(0), said_ms: MAY }];
    expect(await IMPORT_MESSAGES(project, id, JSON.stringify(rows), userId)).toHaveLength(0);
  }
  for (const { id: sessionId } of await sql<{ id: string }[]>`select id from sessions`) {
    expect(await rowsOf(project, sessionId)).toHaveLength(0);
  }
});

test('imports, messages and a close at the same moment: one order, of which no reader misses a part', async ({
  project,
}) => {
  for (let round = 0; round < 10; round += 1) {
    const sessionId = await project.newSession();
    const { nextSince } = await readOn(project, sessionId, EPOCH);
    const imports = Array.from({ length: 4 }, (_, part) =>
      Array.from({ length: 10 }, (__, index) => said(part * 10 + index)),
    );
    const outcomes = imports.map(async (messages) => {
      const { outcome } = await importInto(project, sessionId, ...messages);
      return outcome === 'imported' ? messages.map(({ id }) => id) : [];
    });
    const texts = Array.from({ length: 4 }, async () => {
      const text = typedText(sessionId);
      return (await sayMessage(project, text)) ? [text.id] : [];
    });
    const early = await readOn(project, sessionId, nextSince, 3);
    const closing = closeSession(project, sessionId, 'user');
    const stored = (await Promise.all([...outcomes, ...texts])).flat();
    await closing;
    const late = await readOn(project, sessionId, early.nextSince, 3);
    expect([...early.ids, ...late.ids].toSorted()).toEqual(stored.toSorted());
    const rows = await rowsOf(project, sessionId);
    const isImported = rows.map(({ completed_at: at }) => at !== null);
    expect(isImported).toEqual(isImported.toSorted((a, b) => Number(b) - Number(a)));
    expect(await headOf(project, sessionId)).toMatchObject({ count: stored.length, near: true });
  }
});
