import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { openDatabase } from '../../connection/client.ts';
import { findSession } from '../sessions/sessions.ts';
import { appendMessages } from './append-messages.ts';
import { latestMessages } from './latest-messages.ts';
import { listHeads, listMessagesWithoutRawId } from './messages.ts';
import { pageMessages } from './read-messages.ts';

/** Noon of the day on which the history of an old session begins. */
const NOON = Date.parse('2000-01-01T12:00:00.000Z');

const isoAt = (ms: number) => new Date(NOON + ms).toISOString();

async function historyOf(project: TestProject, sessionId: string) {
  const page = { sessionId, userId: project.userId, cursor: undefined, limit: 100 };
  const { messages = [] } = (await pageMessages(project, page)) ?? {};
  return messages.toReversed();
}

test('each id has one row, of the first complete message; another session may have the same id', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const other = await project.newSession();
  const id = uuidv7();
  const batch = [
    typedText(sessionId, { id, content: 'unfinished', status: 'pending' }),
    typedText(sessionId, { id, content: 'first' }),
    typedText(sessionId, { id, content: 'second' }),
    typedText(other, { id, content: 'elsewhere' }),
  ];
  expect(await appendMessages(project, batch)).toMatchObject({ sessions: 2, stored: 2 });
  expect(
    await appendMessages(project, [typedText(sessionId, { id, content: 'third' })]),
  ).toMatchObject({
    sessions: 1,
    stored: 0,
  });
  const contents = (await historyOf(project, sessionId)).map(({ content }) => content);
  expect([contents, await historyOf(project, other)]).toMatchObject([
    ['first'],
    [{ content: 'elsewhere' }],
  ]);
});

test('a pending message grows and is completed where it stands, only by its sender, and never shrinks', async ({
  project,
}) => {
  const sessionId = await project.newOldSession();
  const id = uuidv7();
  const pending = typedText(sessionId, {
    id,
    status: 'pending',
    content: 'I th',
    receivedAt: NOON,
  });
  await appendMessages(project, [pending, typedText(sessionId, { receivedAt: NOON + 1 })]);
  const reader = { sessionId, userId: project.userId, limit: 9 };
  let since = isoAt(1);
  const changes: unknown[] = [];
  for (const change of [
    { content: 'I think' },
    { content: 'I thin' },
    { kind: 'transcript', content: 'I think so' },
    { content: 'I think so' },
    { status: 'complete', content: 'I do' },
    { status: 'complete', content: 'I do, really' },
    { content: 'I do, really, always' },
  ] as const) {
    const { stored, ignored } = await appendMessages(project, [{ ...pending, ...change }]);
    const news = await latestMessages(project, { ...reader, since });
    since = news?.nextSince ?? '';
    const seen = news?.messages.map(({ content, status, timestamp }) => [
      content,
      status,
      timestamp,
    ]);
    changes.push([stored, ignored.length, seen]);
  }
  expect(changes).toEqual([
    [1, 0, [['I think', 'pending', isoAt(0)]]],
    [0, 0, []],
    [0, 0, []],
    [1, 0, [['I think so', 'pending', isoAt(0)]]],
    [1, 0, [['I do', 'complete', isoAt(0)]]],
    [0, 1, []],
    [0, 0, []],
  ]);
  const session = await findSession(project, { id: sessionId, userId: project.userId });
  expect(session?.messageCount).toBe(2);
});

test('messages of a deleted session are dropped, and the other messages of the batch are stored', async ({
  project,
}) => {
  const [deleted, kept] = [await project.newSession(), await project.newSession()];
  await project.sql`delete from session_heads where session_id = ${deleted}`;
  const batch = [typedText(deleted), typedText(kept), typedText(uuidv7())];
  expect(await appendMessages(project, batch)).toMatchObject({ sessions: 1, stored: 1 });
  expect(await project.sql`select session_id from messages`).toEqual([{ session_id: kept }]);
  expect(await appendMessages(project, [])).toMatchObject({ sessions: 0, stored: 0 });
});

test('messages without a raw id are listed after a time, with their content and sender', async ({
  project,
}) => {
  const sessionId = await project.newOldSession();
  const said = (content: string, ms: number, rawId: string | null) =>
    typedText(sessionId, {
      content,
      receivedAt: NOON + ms,
      metadata: { kind: 'text', participant: content === 'c' ? null : { identity: 'ana' }, rawId },
    });
  const span = { from: isoAt(-9), to: isoAt(5) };
  const gap = said('b', 5, null);
  const last = said('c', 6, null);
  await appendMessages(project, [
    said('a', 0, null),
    { ...gap, metadata: { ...gap.metadata, ...span } },
    last,
    said('d', 7, 'x'),
  ]);
  expect(await listMessagesWithoutRawId(project, sessionId, new Date(NOON).toISOString())).toEqual([
    {
      id: gap.id,
      timestamp: '2000-01-01T12:00:00.005Z',
      kind: 'text',
      content: 'b',
      identity: 'ana',
      isErased: false,
      ...span,
    },
    {
      id: last.id,
      timestamp: '2000-01-01T12:00:00.006Z',
      kind: 'text',
      content: 'c',
      identity: null,
      isErased: false,
      from: null,
      to: null,
    },
  ]);
});

test('a batch of many sessions is stored in each of them in its own order', async ({ project }) => {
  const ids = await project.newSessions(3);
  const batch = Array.from({ length: 30 }, (_, index) =>
    typedText(ids[index % 3] ?? '', { content: `${index}`, receivedAt: NOON - index }),
  );
  expect(await appendMessages(project, batch)).toMatchObject({ sessions: 3, stored: 30 });
  for (const [index, id] of ids.entries()) {
    const contents = (await historyOf(project, id)).map(({ content }) => Number(content));
    expect(contents).toEqual(Array.from({ length: 10 }, (_, turn) => index + 3 * turn));
  }
});

test('writers of the same sessions in opposite order do not wait for each other for ever', async ({
  project,
}) => {
  const ids = await project.newSessions(6);
  const write = async (order: readonly string[]) => {
    await using own = openDatabase(project.url, { connections: 1 });
    for (let round = 0; round < 25; round += 1) {
      await appendMessages(
        own,
        order.map((id) => typedText(id)),
      );
    }
  };
  await Promise.all([write(ids), write(ids.toReversed()), write(ids)]);
  for (const id of ids) {
    const session = await findSession(project, { id, userId: project.userId });
    expect(session?.messageCount).toBe(75);
  }
});

test('a message that PostgreSQL refuses takes the whole batch with it, and nothing of it is stored', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const before = await headOf(project, sessionId);
  const batch = [typedText(sessionId), typedText(sessionId, { content: 'a\0b' })];
  await expect(appendMessages(project, batch)).rejects.toMatchObject({ code: '22P05' });
  expect([await historyOf(project, sessionId), await headOf(project, sessionId)]).toEqual([
    [],
    before,
  ]);
});

test.each(['', ' ', '"\\{},', 'null', '𝄞 ü\u2028', '\n\t', 'x'.repeat(100_000)])(
  'the content comes back as it was: %j',
  async (content) => {
    await using project = await createTestProject();
    const sessionId = await project.newSession();
    await appendMessages(project, [typedText(sessionId, { content })]);
    expect(await historyOf(project, sessionId)).toMatchObject([{ content }]);
  },
);

test('a session whose head is locked is left out and named, and a deleted session is not', async ({
  project,
}) => {
  await using own = openDatabase(project.url, { connections: 1 });
  const [locked, free, deleted] = await project.newSessions(3);
  if (!locked || !free || !deleted) throw new Error('three sessions');
  await project.sql`delete from session_heads where session_id = ${deleted}`;
  const batch = [typedText(locked), typedText(free), typedText(deleted)];
  const append = async () => await appendMessages(own, batch, { waitForLocks: false });
  await project.sql.begin(async (transaction) => {
    await transaction`select from session_heads where session_id = ${locked} for update`;
    expect(await append()).toMatchObject({ stored: 1, sessions: 1, lockedSessions: [locked] });
    await transaction`delete from session_heads where session_id = ${free}`;
    expect(await append()).toMatchObject({ stored: 0, lockedSessions: [locked, free].toSorted() });
  });
  expect(await append()).toMatchObject({ stored: 1, sessions: 1, lockedSessions: [] });
  expect(await historyOf(project, locked)).toHaveLength(1);
});

test('a writer that waits for locks stores the message as soon as the head is free', async ({
  project,
}) => {
  // The limits of a connection would end the wait, and the idle transaction, on a busy machine.
  const url = `${project.url}?idle_in_transaction_session_timeout=0`;
  const limits = { lockTimeoutMs: 30_000, statementTimeoutMs: 30_000 };
  await using own = openDatabase(url, { ...limits, connections: 2 });
  const sessionId = await project.newSession();
  const waiting = () => project.sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  const appending = await own.sql.begin(async (transaction) => {
    await transaction`select from session_heads where session_id = ${sessionId} for update`;
    const append = appendMessages(own, [typedText(sessionId)]);
    await expect.poll(waiting).toHaveLength(1);
    return { append };
  });
  expect(await appending.append).toMatchObject({ stored: 1, lockedSessions: [] });
});

async function headOf({ sql }: TestProject, sessionId: string): Promise<number> {
  const [head] = await listHeads({ sql }, [sessionId]);
  return Date.parse(head?.lastAt ?? '');
}

test('a message that reports a gap is returned once, by whichever writer stored it', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const gap = typedText(sessionId, { kind: 'recording_gap', role: 'system', status: null });
  const batch = [typedText(sessionId), gap, typedText(sessionId)];
  const both = await Promise.all([appendMessages(project, batch), appendMessages(project, batch)]);
  expect(both.flatMap(({ gaps }) => gaps)).toEqual([gap]);
  expect((await appendMessages(project, [gap])).gaps).toEqual([]);
});
