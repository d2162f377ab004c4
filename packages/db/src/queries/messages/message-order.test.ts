import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { pageMessages } from './read-messages.ts';

test('the oldest first, 50 at a time, while the history grows: each is read once, the new ones too', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const stored = Array.from({ length: 120 }, () => typedText(sessionId, { receivedAt: 0 }));
  await appendMessages(project, stored);
  const read: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = { sessionId, userId: project.userId, cursor, limit: 50, order: 'asc' } as const;
    const ids = (await pageMessages(project, page))?.messages.map(({ id }) => id) ?? [];
    read.push(...ids);
    cursor = ids.at(-1);
    if (ids.length < 50) break;
    const more = Array.from({ length: 7 }, () => typedText(sessionId));
    await appendMessages(project, more);
    stored.push(...more);
  }
  expect(read).toEqual(stored.map(({ id }) => id));
});
