import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject, type TestProject, typedText } from '../../testing/project.ts';
import { openDatabase } from '../client.ts';
import { prepareMessageQueries } from './messages.ts';
import type { MessageRow } from './read-messages.ts';

test('120 messages by cursor, 50 at a time, while the history grows: none missed, none twice', async () => {
  await using project = await createTestProject();
  const messages = prepareMessageQueries(project);
  const sessionId = await project.newSession();
  const first = Array.from({ length: 120 }, () => typedText(sessionId, { receivedAt: 0 }));
  await messages.appendMessages(first);
  const read: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = { sessionId, userId: project.userId, cursor, limit: 50 };
    const ids = (await messages.pageMessages(page))?.messages.map(({ id }) => id) ?? [];
    read.push(...ids);
    cursor = ids.at(-1);
    if (ids.length < 50) break;
    await messages.appendMessages(Array.from({ length: 7 }, () => typedText(sessionId)));
  }
  expect(read).toEqual(first.map(({ id }) => id).toReversed());
});

test('an empty session has an empty page; a cursor of another session is unknown; strangers see no session', async () => {
  await using project = await createTestProject();
  const messages = prepareMessageQueries(project);
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const elsewhere = typedText(other);
  await messages.appendMessages([elsewhere]);
  const page = { sessionId, userId: project.userId, cursor: undefined, limit: 50 };
  expect(await messages.pageMessages(page)).toEqual({
    memberRole: 'OWNER',
    isCursorKnown: true,
    messages: [],
  });
  expect(await messages.pageMessages({ ...page, cursor: elsewhere.id })).toEqual({
    memberRole: 'OWNER',
    isCursorKnown: false,
    messages: [],
  });
  const stranger = { ...page, userId: await project.newUser(), since: '2026-01-01T00:00:00.000Z' };
  expect(await messages.pageMessages(stranger)).toBeUndefined();
  expect(await messages.latestMessages(stranger)).toBeUndefined();
  expect(await messages.pageMessages({ ...page, sessionId: uuidv7() })).toBeUndefined();
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = now(), deleted_at = now()`;
  expect([
    await messages.pageMessages(page),
    await messages.latestMessages({ ...stranger, ...page }),
  ]).toEqual([undefined, undefined]);
});

test('a reader with a fast clock misses nothing: without news `since` comes back to the newest that there is', async () => {
  await using project = await createTestProject();
  const messages = prepareMessageQueries(project);
  const sessionId = await project.newSession();
  const reader = { sessionId, userId: project.userId, limit: 9 };
  const ahead = await messages.latestMessages({ ...reader, since: '2100-01-01T00:00:00.000Z' });
  const message = typedText(sessionId);
  await messages.appendMessages([message]);
  const news = await messages.latestMessages({ ...reader, since: ahead?.nextSince ?? '' });
  expect([ahead?.messages, news?.messages]).toMatchObject([[], [{ id: message.id }]]);
  const since = news?.nextSince ?? '';
  expect(await messages.latestMessages({ ...reader, since })).toMatchObject({
    messages: [],
    nextSince: since,
  });
});

test('a message is found in its session alone, and the heads of many sessions at once', async () => {
  await using project = await createTestProject();
  const messages = prepareMessageQueries(project);
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const message = typedText(sessionId, { metadata: null, receivedAt: 4_102_444_800_000 });
  await messages.appendMessages([message]);
  expect(await messages.findMessage(message)).toMatchObject({
    id: message.id,
    content: 'hello',
    metadata: null,
    timestamp: '2100-01-01T00:00:00.000Z',
  });
  expect(await messages.findMessage({ sessionId: other, id: message.id })).toBeUndefined();
  expect(await messages.listHeads([sessionId, uuidv7()])).toEqual([
    { sessionId, lastAt: '2100-01-01T00:00:00.000Z' },
  ]);
});

test('four writers at once, pending ones completed: every reader of `since` sees each version once, in order', async () => {
  await using project = await createTestProject();
  const sessionId = await project.newSession();
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

/** Follows the history by `since`, as a client does, until all is written and read. */
async function followLatest(
  project: TestProject,
  sessionId: string,
  limit: number,
  isWriting: { readonly value: boolean },
): Promise<MessageRow[]> {
  await using reader = openDatabase(project.url, { connections: 1 });
  const messages = prepareMessageQueries(reader);
  const seen: MessageRow[] = [];
  let since = '2000-01-01T00:00:00.000Z';
  for (;;) {
    const wasWriting = isWriting.value;
    const answer = await messages.latestMessages({
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
 * Sends batches, each with a message that is finished in the next one, through a clock of its own; gives every version that
 * a reader may see: those that were never pending, and the completed ones. A pending one may be seen or not.
 */
async function writeBatches(
  writer: Parameters<typeof prepareMessageQueries>[0],
  sessionId: string,
): Promise<string[]> {
  const messages = prepareMessageQueries(writer);
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
    await messages.appendMessages(batch);
    await messages.appendMessages([
      typedText(sessionId, { ...part, id: slow }),
      typedText(sessionId, { ...part, id: twice, status: null }),
    ]);
    sent.push(`${plain} null`, `${twice} null`, `${slow} complete`);
  }
  return sent;
}
