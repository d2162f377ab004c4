import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { foldAll, numberedText } from '../../../testing/sequences.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { countMissingMessages } from './missing-numbers.ts';

test('what is sent again and is in the history under another number is heard', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const before = numberedText(sessionId, 1, { q: 'before' });
  await appendMessages(project, [before, numberedText(sessionId, 2)]);
  await foldAll(project);
  const count = async () => (await countMissingMessages(project, [sessionId])).length;
  expect(await count()).toBe(1);
  const again = { ...numberedText(sessionId, 1), id: before.id };
  await appendMessages(project, [again]);
  expect(await count()).toBe(1);
  await appendMessages(project, [{ ...again, metadata: { ...again.metadata, resent: true } }]);
  expect(await count()).toBe(0);
});

test('what its sender’s other message under the same id keeps out is heard', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const first = numberedText(sessionId, 1);
  await appendMessages(project, [first, numberedText(sessionId, 3)]);
  await foldAll(project);
  const other = { ...numberedText(sessionId, 2), id: first.id, content: 'something else' };
  expect((await appendMessages(project, [other])).ignored).toHaveLength(1);
  expect(await countMissingMessages(project, [sessionId])).toEqual([]);
});

test('nobody makes a sequence longer by sending something again', async ({ project }) => {
  const sessionId = await project.newSession();
  const first = numberedText(sessionId, 1);
  await appendMessages(project, [first]);
  await foldAll(project);
  for (const n of [900_000, Number.MAX_SAFE_INTEGER]) {
    await appendMessages(project, [
      { ...numberedText(sessionId, n, { resent: true }), id: first.id },
    ]);
  }
  expect(await countMissingMessages(project, [sessionId])).toEqual([]);
});
