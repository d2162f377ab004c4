import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject, typedText } from '../../../testing/project.ts';
import { prepareMessageQueries } from './messages.ts';

const digestOf = (content: string) =>
  createHash('sha256').update(content).digest('hex').slice(0, 32);

test('a text is found by its id and its content, a pending one by its id, and a renamed one by its content', async () => {
  await using project = await createTestProject();
  const messages = prepareMessageQueries(project);
  const sessionId = await project.newSession();
  const yes = typedText(sessionId, { content: 'Grüße 👋' });
  const open = typedText(sessionId, { content: 'I wan', status: 'pending' });
  const renamed = typedText(sessionId, {
    content: 'renamed',
    metadata: { idConflict: true, participant: null },
  });
  await messages.appendMessages([yes, open, renamed]);
  const isStored = (ids: string[], content: string) =>
    messages.isTextStored({ sessionId, ids, digest: digestOf(content) });
  expect(await isStored([uuidv7(), yes.id], 'Grüße 👋')).toBe(true);
  expect(await isStored([yes.id], 'another')).toBe(false);
  expect(await isStored([uuidv7()], 'Grüße 👋')).toBe(false);
  expect(await isStored([open.id], 'I want to')).toBe(true);
  expect(await isStored([yes.id], 'renamed')).toBe(true);
  expect(await isStored([], 'nothing')).toBe(false);
});
