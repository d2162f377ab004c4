import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { prepareMessageQueries } from './messages.ts';

test('the oldest first, 50 at a time, while the history grows: each is read once, the new ones too', async ({
  project,
}) => {
  const messages = prepareMessageQueries(project);
  const sessionId = await project.newSession();
  const stored = Array.from({ length: 120 }, () => typedText(sessionId, { receivedAt: 0 }));
  await messages.appendMessages(stored);
  const read: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = { sessionId, userId: project.userId, cursor, limit: 50, order: 'asc' } as const;
    const ids = (await messages.pageMessages(page))?.messages.map(({ id }) => id) ?? [];
    read.push(...ids);
    cursor = ids.at(-1);
    if (ids.length < 50) break;
    const more = Array.from({ length: 7 }, () => typedText(sessionId));
    await messages.appendMessages(more);
    stored.push(...more);
  }
  expect(read).toEqual(stored.map(({ id }) => id));
});
