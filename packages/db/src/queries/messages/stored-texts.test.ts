import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { filterStoredTexts } from './stored-texts.ts';

const digestOf = (content: string) =>
  createHash('sha256').update(content).digest('hex').slice(0, 32);

test('a text is found by its id and its content, a renamed one by its content, and none while it is pending', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const yes = typedText(sessionId, { content: 'Grüße 👋' });
  const open = typedText(sessionId, { content: 'I wan', status: 'pending' });
  const renamed = typedText(sessionId, {
    content: 'renamed',
    metadata: { idConflict: true, participant: null },
  });
  const renamedOpen = typedText(sessionId, {
    content: 'renamed and op',
    status: 'pending',
    metadata: { idConflict: true, participant: null },
  });
  await appendMessages(project, [yes, open, renamed, renamedOpen]);
  const texts = [
    { id: uuidv7(), storedId: yes.id, content: 'Grüße 👋', isStored: true },
    { id: yes.id, content: 'another', isStored: false },
    { id: uuidv7(), content: 'Grüße 👋', isStored: false },
    { id: open.id, content: 'I wan', isStored: false },
    { id: open.id, content: 'I want to', isStored: false },
    { id: yes.id, content: 'renamed', isStored: true },
    { id: yes.id, content: 'renamed and op', isStored: false },
    { id: uuidv7(), content: 'nothing', isStored: false },
  ];
  const sought = texts.map((text) => ({ ...text, digest: digestOf(text.content) }));
  expect(await filterStoredTexts(project, sessionId, sought)).toEqual(
    sought.filter(({ isStored }) => isStored),
  );
  expect(await filterStoredTexts(project, uuidv7(), sought)).toEqual([]);
  expect(await filterStoredTexts(project, sessionId, [])).toEqual([]);
});
