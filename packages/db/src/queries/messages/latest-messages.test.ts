import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { NOON, openHistory } from '../../../testing/old-history.ts';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { openDatabase } from '../../connection/client.ts';
import type { DatabaseAccess } from '../../statement/statement.ts';
import { appendMessages } from './append-messages.ts';
import { latestMessages, latestMessagesOfReaders } from './latest-messages.ts';
import type { MessageRow } from './read-messages.ts';

const BEGINNING = '2000-01-01T00:00:00.000Z';
const isoAt = (ms: number) => new Date(NOON + ms).toISOString();

test('a reader with a fast clock misses nothing: without messages `nextSince` returns to the newest message', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const reader = { sessionId, userId: project.userId, limit: 9 };
  const ahead = await latestMessages(project, { ...reader, since: '2100-01-01T00:00:00.000Z' });
  const message = typedText(sessionId);
  await appendMessages(project, [message]);
  const news = await latestMessages(project, { ...reader, since: ahead?.nextSince ?? '' });
  expect([ahead?.messages, news?.messages]).toMatchObject([[], [{ id: message.id }]]);
  const since = news?.nextSince ?? '';
  expect(await latestMessages(project, { ...reader, since })).toMatchObject({
    messages: [],
    nextSince: since,
  });
});

test('four writers at once that complete pending messages: a reader by `since` sees each version once, in order', async ({
  project,
}) => {
  const sessionId = await project.newOldSession();
  await using clients = new AsyncDisposableStack();
  const writers = [0, 1, 2, 3].map(() =>
    clients.use(openDatabase(project.url, { connections: 1 })),
  );
  const isWriting = { value: true };
  const reading = [7, 100].map((limit) => followLatest(project, sessionId, limit, isWriting));
  const sent = await Promise.all(writers.map((writer) => writeBatches(writer, sessionId)));
  isWriting.value = false;
  for (const seen of await Promise.all(reading)) {
    const versions = seen.map(({ id, status }) => `${id} ${status}`);
    expect(versions).toHaveLength(new Set(versions).size);
    expect(sent.flat().filter((version) => !versions.includes(version))).toEqual([]);
    const times = seen.filter(({ status }) => status === null).map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
  }
});

test.each([
  ['from the beginning', BEGINNING, 9, [0, 1, 2, 3, 4], isoAt(4), false],
  ['with a limit', BEGINNING, 2, [0, 1], isoAt(1), true],
  ['with a limit that is just enough', isoAt(2), 2, [3, 4], isoAt(4), false],
  ['after the time of a message, without it', isoAt(3), 9, [4], isoAt(4), false],
  ['from the message before, one at a time', isoAt(2), 1, [3], isoAt(3), true],
  ['after the newest', isoAt(4), 9, [], isoAt(4), false],
  ['from the future, which comes back to the newest', isoAt(99), 9, [], isoAt(4), false],
])('the latest messages %s', async (_, since, limit, contents, nextSince, hasMore) => {
  await using history = await openHistory(5);
  const latest = await latestMessages(history.project, { ...history.reader, since, limit });
  expect(latest).toMatchObject({ memberRole: 'OWNER', nextSince, hasMore, lastAt: isoAt(4) });
  expect(latest?.messages.map(({ content }) => content)).toEqual(contents.map(String));
});

test('a completed message comes at the time of its completion, at its old position, and only once', async () => {
  await using history = await openHistory(0);
  const { project, reader, sessionId } = history;
  const slow = typedText(sessionId, { status: 'pending', content: 'sl', receivedAt: NOON });
  const other = typedText(sessionId, { content: 'other', receivedAt: NOON + 5 });
  await appendMessages(project, [slow, other]);
  await appendMessages(project, [
    { ...slow, status: 'complete', content: 'slow', receivedAt: NOON + 9 },
  ]);
  const all = await latestMessages(project, { ...reader, since: BEGINNING, limit: 9 });
  expect(all?.messages.map(({ content, timestamp }) => [content, timestamp])).toEqual([
    ['other', isoAt(5)],
    ['slow', isoAt(0)],
  ]);
  expect(all?.nextSince).toBe(isoAt(9));
  const news = await latestMessages(project, { ...reader, since: isoAt(5), limit: 9 });
  expect(news?.messages.map(({ id }) => id)).toEqual([slow.id]);
});

test('a pending message comes again each time it has grown, with its newest text and at its old position', async () => {
  await using history = await openHistory(0);
  const { project, reader, sessionId } = history;
  const slow = typedText(sessionId, { status: 'pending', content: 'I', receivedAt: NOON });
  const seen: unknown[] = [];
  let since = BEGINNING;
  const read = async () => {
    const latest = await latestMessages(project, { ...reader, since, limit: 9 });
    since = latest?.nextSince ?? '';
    seen.push(
      latest?.messages.map(({ content, status, timestamp }) => [content, status, timestamp]),
    );
  };
  for (const content of ['I', 'I think', 'I th', 'I think so']) {
    await appendMessages(project, [{ ...slow, content }]);
    await read();
  }
  await appendMessages(project, [{ ...slow, content: 'I think so, always' }]);
  await appendMessages(project, [{ ...slow, status: 'complete', content: 'I do' }]);
  await read();
  await read();
  const [position, pending] = [isoAt(0), 'pending'];
  expect(seen).toEqual([
    [['I', pending, position]],
    [['I think', pending, position]],
    [],
    [['I think so', pending, position]],
    [['I do', 'complete', position]],
    [],
  ]);
});

test('many readers get in one read what each would get alone, and strangers get nothing', async () => {
  await using history = await openHistory(5);
  const { project, sessionId, reader } = history;
  const [member, admin] = [await project.newMember(), await project.newMember('ADMIN')];
  const stranger = (await project.newProject()).userId;
  const users = [reader.userId, member.userId, admin.userId, stranger, uuidv7()];
  for (const [since, limit] of [
    [BEGINNING, 2],
    [isoAt(2), 9],
    [isoAt(9), 9],
  ] as const) {
    const read = { sessionId, since, limit };
    const together = await latestMessagesOfReaders(project, { ...read, userIds: users });
    expect([...together.keys()].toSorted()).toEqual(users.slice(0, 3).toSorted());
    for (const userId of users) {
      expect(together.get(userId)).toEqual(await latestMessages(project, { ...read, userId }));
    }
  }
  const none = { sessionId, since: BEGINNING, limit: 9 };
  expect(await latestMessagesOfReaders(project, { ...none, userIds: [] })).toEqual(new Map());
  const unknown = { ...none, sessionId: uuidv7(), userIds: users };
  expect(await latestMessagesOfReaders(project, unknown)).toEqual(new Map());
});

/** Follows the history by `since`, as a client does, until everything is written and read. */
async function followLatest(
  project: TestProject,
  sessionId: string,
  limit: number,
  isWriting: { readonly value: boolean },
): Promise<MessageRow[]> {
  await using reader = openDatabase(project.url, { connections: 1 });
  const seen: MessageRow[] = [];
  let since = '2000-01-01T00:00:00.000Z';
  for (;;) {
    const wasWriting = isWriting.value;
    const answer = await latestMessages(reader, {
      sessionId,
      userId: project.userId,
      since,
      limit,
    });
    if (!answer) throw new Error('the session is gone');
    seen.push(...answer.messages);
    since = answer.nextSince;
    expect(answer.messages.length).toBeLessThanOrEqual(limit);
    if (!wasWriting && !answer.hasMore) return seen;
  }
}

/**
 * Stores batches, each with a message that the next batch completes, with a clock of its own. Returns every version that a
 * reader must see: of messages that were never pending, and of completed messages. A pending version may be seen or not.
 */
async function writeBatches(writer: DatabaseAccess, sessionId: string): Promise<string[]> {
  const skewMs = Math.floor(Math.random() * 700);
  const sent: string[] = [];
  for (let round = 0; round < 40; round += 1) {
    const [plain, twice, slow] = [uuidv7(), uuidv7(), uuidv7()];
    const part = { receivedAt: Date.now() - skewMs };
    const batch = [
      typedText(sessionId, { ...part, id: plain, status: null }),
      typedText(sessionId, { ...part, id: slow, status: 'pending' }),
      typedText(sessionId, { ...part, id: twice, status: null }),
    ];
    await appendMessages(writer, batch);
    await appendMessages(writer, [
      typedText(sessionId, { ...part, id: slow }),
      typedText(sessionId, { ...part, id: twice, status: null }),
    ]);
    sent.push(`${plain} null`, `${twice} null`, `${slow} complete`);
  }
  return sent;
}
