import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { endInterval, insertInterval } from '../recording/recording-intervals.ts';
import { appendMessages } from './append-messages.ts';

/** Noon of the day on which the history of an old session begins. */
const NOON = Date.parse('2000-01-01T12:00:00.000Z');

const isoAt = (ms: number) => new Date(NOON + ms).toISOString();

/** Opens the interval of another recorder in the session, and returns its id. */
async function openInterval(project: TestProject, sessionId: string, from: number) {
  const id = uuidv7();
  await insertInterval(project, { sessionId, id, recorderId: uuidv7(), fromAt: isoAt(from) });
  return id;
}

test('a message of a recorder that was taken for dead is skipped when another recorder covers its time', async ({
  project,
}) => {
  const sessionId = await project.newOldSession();
  const own = await openInterval(project, sessionId, 0);
  const others = await openInterval(project, sessionId, 50);
  const store = async (received: number) =>
    await appendMessages(project, [
      typedText(sessionId, {
        receivedAt: NOON + received,
        intervalId: own,
        content: `${received}`,
      }),
    ]);
  expect(await store(60)).toMatchObject({ sessions: 1, stored: 1 });
  const end = async (endReason: string) =>
    await project.sql`update recording_intervals set to_at = from_at, end_reason = ${endReason} where id = ${own}`;
  await end('connection_lost');
  expect(await store(70)).toMatchObject({ sessions: 1, stored: 1 });
  await end('recorder_died');
  expect(await store(49)).toMatchObject({ sessions: 1, stored: 1 });
  expect(await store(80)).toMatchObject({ stored: 0 });
  await endInterval(project, { sessionId, id: others, toAt: isoAt(100), endReason: 'x' });
  expect(await store(90)).toMatchObject({ stored: 0 });
  expect(await store(101)).toMatchObject({ sessions: 1, stored: 1 });
});

/**
 * The words that a recorder received at 2.0 s, although others had ended its interval at `until`, and the time `storedAt` of
 * the row of the next recorder, whose interval begins at 3.5 s.
 */
interface Words extends NonNullable<Parameters<typeof typedText>[1]> {
  readonly until?: number;
  readonly storedAt?: number;
}

test.for<readonly [what: string, words: Words, stored: number]>([
  ['the same words', {}, 0],
  ['of a sender that one of them did not find', { metadata: { kind: 'text' } }, 0],
  ['long before the interval begins', { receivedAt: 500 }, 1],
  ['not so long before', { receivedAt: 501 }, 0],
  ['before the gap', { until: 2001 }, 1],
  ['at the beginning of the gap', { until: 2000 }, 0],
  ['stored as of a time long before', { storedAt: 999 }, 1],
  ['stored as of a time before', { storedAt: 1000 }, 0],
  ['stored as of a time after the interval began', { storedAt: 4500 }, 0],
  ['stored as of a time long after that', { storedAt: 4501 }, 1],
  ['other words', { content: 'goodbye' }, 1],
  ['words of another kind', { kind: 'transcript' }, 1],
  ['of another sender', { participant: 'user-2' }, 1],
  ['a report of something else', { metadata: { kind: 'text', payload: {} } }, 1],
])(
  'words that the next recorder received before its interval, and stored, are stored once: %s',
  async ([, words, stored], { project }) => {
    const { receivedAt = 2000, until = 100, storedAt = receivedAt, ...said } = words;
    const sessionId = await project.newOldSession();
    const own = await openInterval(project, sessionId, 0);
    const end = { toAt: isoAt(until), endReason: 'recorder_died' };
    await endInterval(project, { sessionId, id: own, ...end });
    const others = await openInterval(project, sessionId, 3500);
    await appendMessages(project, [
      typedText(sessionId, { receivedAt: NOON + storedAt, intervalId: others }),
    ]);
    const late = typedText(sessionId, { ...said, receivedAt: NOON + receivedAt, intervalId: own });
    expect(await appendMessages(project, [late])).toMatchObject({ stored });
  },
);
