import { appendMessages } from '../src/queries/messages/append-messages.ts';
import { createTestProject, typedText } from './project.ts';

/** Noon of the day on which the history of an old session begins. */
export const NOON = Date.parse('2000-01-01T12:00:00.000Z');

/** Returns a session that began before noon, with `count` messages from noon on, a millisecond apart. */
export async function openHistory(count: number) {
  const project = await createTestProject();
  const sessionId = await project.newOldSession();
  const batch = Array.from({ length: count }, (_, index) =>
    typedText(sessionId, { receivedAt: NOON + index, content: `${index}` }),
  );
  await appendMessages(project, batch);
  return {
    project,
    sessionId,
    ids: batch.map(({ id }) => id),
    reader: { sessionId, userId: project.userId },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}
