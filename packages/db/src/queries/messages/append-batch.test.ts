import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { findSession } from '../sessions/sessions.ts';
import { appendMessages } from './append-messages.ts';
import { pageMessages } from './read-messages.ts';

/** Noon of the day on which the history of an old session begins. */
const NOON = Date.parse('2000-01-01T12:00:00.000Z');

const isoAt = (ms: number) => new Date(NOON + ms).toISOString();

async function historyOf(project: TestProject, sessionId: string, limit = 100) {
  const page = { sessionId, userId: project.userId, cursor: undefined, limit };
  const { messages = [] } = (await pageMessages(project, page)) ?? {};
  return messages.toReversed();
}

test('timestamps are the times of receipt, raised where needed to strictly increase in the order of arrival', async ({
  project,
}) => {
  const sessionId = await project.newOldSession();
  const batch = [5, 5, 3, 9].map((ms, index) =>
    typedText(sessionId, { receivedAt: NOON + ms, content: `${index}` }),
  );
  expect(await appendMessages(project, batch)).toMatchObject({ sessions: 1, stored: 4 });
  await appendMessages(project, [typedText(sessionId, { receivedAt: NOON, content: '4' })]);
  expect(
    (await historyOf(project, sessionId)).map(({ timestamp, content }) => [timestamp, content]),
  ).toEqual([
    ['2000-01-01T12:00:00.005Z', '0'],
    ['2000-01-01T12:00:00.006Z', '1'],
    ['2000-01-01T12:00:00.007Z', '2'],
    ['2000-01-01T12:00:00.009Z', '3'],
    ['2000-01-01T12:00:00.010Z', '4'],
  ]);
});

test('a message is never older than its session, however slow the clock of its writer', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId, { receivedAt: 1 })]);
  const session = await findSession(project, { id: sessionId, userId: project.userId });
  const [message] = await historyOf(project, sessionId);
  expect(Date.parse(message?.timestamp ?? '')).toBe(Date.parse(session?.createdAt ?? '') + 1);
});

test('a writer whose clock is a day fast moves no message beyond the clock of the database and 1 s', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const fast = Date.now() + 86_400_000;
  const batch = Array.from({ length: 500 }, (_, index) =>
    typedText(sessionId, { receivedAt: fast + index, content: `${index}` }),
  );
  await appendMessages(project, batch);
  const stored = await historyOf(project, sessionId, 500);
  expect(stored.map(({ content }) => content)).toEqual(batch.map(({ content }) => content));
  for (const { timestamp, createdAt } of stored) {
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.parse(createdAt) + 1000);
  }
});

test('a head that is in the future already moves on by single milliseconds', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await project.sql`update session_heads set last_at = '2100-01-01' where session_id = ${sessionId}`;
  await appendMessages(project, [typedText(sessionId), typedText(sessionId)]);
  await appendMessages(project, [typedText(sessionId, { receivedAt: Date.parse('2200-01-01') })]);
  const times = (await historyOf(project, sessionId)).map(({ timestamp }) => timestamp);
  expect(times).toEqual(['01', '02', '03'].map((ms) => `2100-01-01T00:00:00.0${ms}Z`));
});

test('a time of receipt with a fraction of a millisecond is rounded down', async ({ project }) => {
  const sessionId = await project.newOldSession();
  const receivedAt = NOON + 7.999;
  await appendMessages(project, [typedText(sessionId, { receivedAt })]);
  expect(await historyOf(project, sessionId)).toMatchObject([{ timestamp: isoAt(7) }]);
});
