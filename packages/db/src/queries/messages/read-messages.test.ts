import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { NOON, openHistory } from '../../../testing/old-history.ts';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { latestMessages } from './latest-messages.ts';
import { pageMessages } from './read-messages.ts';

test.for(['asc', 'desc'] as const)(
  '%s: 120 messages by cursor, 50 at a time, while the history grows: each is read once',
  async (order, { project }) => {
    const sessionId = await project.newSession();
    const stored = Array.from({ length: 120 }, () => typedText(sessionId, { receivedAt: 0 }));
    await appendMessages(project, stored);
    const first = [...stored];
    const read: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = { sessionId, userId: project.userId, cursor, limit: 50, order };
      const ids = (await pageMessages(project, page))?.messages.map(({ id }) => id) ?? [];
      read.push(...ids);
      cursor = ids.at(-1);
      if (ids.length < 50) break;
      const more = Array.from({ length: 7 }, () => typedText(sessionId));
      await appendMessages(project, more);
      stored.push(...more);
    }
    const expected = order === 'asc' ? stored : first.toReversed();
    expect(read).toEqual(expected.map(({ id }) => id));
  },
);

test('an empty session has an empty page, a cursor of another session is unknown, and strangers see no session', async ({
  project,
}) => {
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const elsewhere = typedText(other);
  await appendMessages(project, [elsewhere]);
  const page = { sessionId, userId: project.userId, cursor: undefined, limit: 50 };
  const empty = { memberRole: 'OWNER', messages: [], isFull: false, end: null };
  expect(await pageMessages(project, page)).toEqual({ ...empty, isCursorKnown: true });
  const unknown = await pageMessages(project, { ...page, cursor: elsewhere.id });
  expect(unknown).toEqual({ ...empty, isCursorKnown: false });
  const stranger = { ...page, userId: await project.newUser(), since: '2026-01-01T00:00:00.000Z' };
  expect(await pageMessages(project, stranger)).toBeUndefined();
  expect(await latestMessages(project, stranger)).toBeUndefined();
  expect(await pageMessages(project, { ...page, sessionId: uuidv7() })).toBeUndefined();
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = now(), deleted_at = now()`;
  expect([
    await pageMessages(project, page),
    await latestMessages(project, { ...stranger, ...page }),
  ]).toEqual([undefined, undefined]);
});

test.each([
  ['the newest page', undefined, 2, [4, 3]],
  ['a page that is just full', undefined, 5, [4, 3, 2, 1, 0]],
  ['a page with room to spare', undefined, 9, [4, 3, 2, 1, 0]],
  ['a page after a cursor', 3, 2, [2, 1]],
  ['the last page', 1, 9, [0]],
  ['a page after the oldest message', 0, 9, []],
])('%s', async (_, cursor, limit, contents) => {
  await using history = await openHistory(5);
  const { project, reader, ids } = history;
  const id = cursor === undefined ? undefined : ids[cursor];
  const page = await pageMessages(project, { ...reader, cursor: id, limit });
  expect(page).toMatchObject({ memberRole: 'OWNER', isCursorKnown: true });
  expect(page?.messages.map(({ content }) => content)).toEqual(contents.map(String));
});

test('a page is not moved by a message that is completed meanwhile: it keeps its position', async () => {
  await using history = await openHistory(2);
  const { project, reader, sessionId, ids } = history;
  const slow = typedText(sessionId, { status: 'pending', content: 'slow', receivedAt: NOON + 9 });
  await appendMessages(project, [slow]);
  const last = typedText(sessionId, { content: 'last', receivedAt: NOON + 10 });
  await appendMessages(project, [last]);
  await appendMessages(project, [{ ...slow, status: 'complete', receivedAt: NOON + 20 }]);
  const page = await pageMessages(project, { ...reader, cursor: undefined, limit: 9 });
  expect(page?.messages.map(({ id }) => id)).toEqual([last.id, slow.id, ...ids.toReversed()]);
});

test('metadata comes as its own text: what is read is what was stored', async () => {
  await using history = await openHistory(0);
  const { project, reader, sessionId } = history;
  const metadata = { 'a "quoted" key': ['ü', null, 1.5e300, { deep: [] }], rawId: null };
  await appendMessages(project, [typedText(sessionId, { metadata })]);
  const page = await pageMessages(project, { ...reader, cursor: undefined, limit: 1 });
  expect(JSON.parse(page?.messages[0]?.metadata ?? '')).toEqual(metadata);
});
