import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { findSession } from '../sessions/sessions.ts';
import { appendMessages } from './append-messages.ts';
import {
  findMessage,
  listHeads,
  listMessagesWithoutRawId,
  readMessagesForExport,
} from './messages.ts';

test('a message is found only in its session, and the heads of many sessions at once', async ({
  project,
}) => {
  const [sessionId, other] = [await project.newOldSession(), await project.newOldSession()];
  const message = typedText(sessionId, {
    metadata: null,
    receivedAt: Date.parse('2000-01-01T01:00:00.000Z'),
  });
  await appendMessages(project, [message]);
  expect(await findMessage(project, message)).toMatchObject({
    id: message.id,
    content: 'hello',
    metadata: null,
    timestamp: '2000-01-01T01:00:00.000Z',
  });
  expect(await findMessage(project, { sessionId: other, id: message.id })).toBeUndefined();
  expect(await listHeads(project, [sessionId, uuidv7()])).toEqual([
    { sessionId, lastAt: '2000-01-01T01:00:00.000Z' },
  ]);
});

/** Noon of the day on which the history of an old session begins. */
const NOON = Date.parse('2000-01-01T12:00:00.000Z');
const isoAt = (ms: number) => new Date(NOON + ms).toISOString();

test('messages are exported after a time, the oldest first, up to a limit, and not to strangers', async ({
  project,
}) => {
  const [sessionId, other] = [await project.newOldSession(), await project.newSession()];
  const batch = Array.from({ length: 6 }, (_, index) =>
    typedText(sessionId, { receivedAt: NOON + index, content: `${index}` }),
  );
  await appendMessages(project, [...batch, typedText(other)]);
  const list = async (after: string, limit: number, userId = project.userId) =>
    (await readMessagesForExport(project, { sessionId, userId, after, limit }))?.messages.map(
      ({ content }) => content,
    );
  expect(await list(isoAt(-1), 9)).toEqual(['0', '1', '2', '3', '4', '5']);
  expect(await list(isoAt(1), 2)).toEqual(['2', '3']);
  expect(await list(isoAt(5), 9)).toEqual([]);
  expect(await list(isoAt(0), 0)).toEqual([]);
  expect(await list(isoAt(0), 9, await project.newUser())).toBeUndefined();
});

test('the head of a session is its creation, then its newest message, and none when it is deleted', async ({
  project,
}) => {
  const [sessionId = '', deleted = ''] = await project.newSessions(2);
  const { createdAt } =
    (await findSession(project, { id: sessionId, userId: project.userId })) ?? {};
  await project.sql`delete from session_heads where session_id = ${deleted}`;
  const heads = async () => await listHeads(project, [sessionId, deleted]);
  expect(await heads()).toEqual([{ sessionId, lastAt: createdAt }]);
  await project.sql`update session_heads set last_at = ${isoAt(-1)}`;
  const pending = typedText(sessionId, { status: 'pending', receivedAt: NOON });
  await appendMessages(project, [pending]);
  expect(await heads()).toEqual([{ sessionId, lastAt: isoAt(0) }]);
  await appendMessages(project, [{ ...pending, status: 'complete', receivedAt: NOON + 9 }]);
  expect(await heads()).toEqual([{ sessionId, lastAt: isoAt(9) }]);
  // A message that is not stored does not move the head.
  await appendMessages(project, [{ ...pending, status: 'complete', receivedAt: NOON + 99 }]);
  expect(await heads()).toEqual([{ sessionId, lastAt: isoAt(9) }]);
  expect(await listHeads(project, [])).toEqual([]);
});

test.each([
  ['a message without a raw id', { rawId: null }, true],
  ['a message with an id', { rawId: 'abc' }, false],
  ['a message whose id is the text null', { rawId: 'null' }, false],
  ['a message of another kind of source', {}, false],
  ['a message without metadata', null, false],
])('%s is listed as one: %#', async (_, metadata, isListed) => {
  await using project = await createTestProject();
  const sessionId = await project.newOldSession();
  await appendMessages(project, [typedText(sessionId, { metadata, receivedAt: NOON })]);
  const listed = await listMessagesWithoutRawId(project, sessionId, isoAt(-1));
  expect(listed).toHaveLength(isListed ? 1 : 0);
});
