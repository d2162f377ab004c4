import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject, typedText } from '../../testing/project.ts';
import { prepareMessageQueries } from './messages.ts';

test('a message is found only in its session, and the heads of many sessions at once', async () => {
  await using project = await createTestProject();
  const messages = prepareMessageQueries(project);
  const [sessionId, other] = [await project.newSession(), await project.newSession()];
  const message = typedText(sessionId, { metadata: null, receivedAt: 4_102_444_800_000 });
  await messages.appendMessages([message]);
  expect(await messages.findMessage(message)).toMatchObject({
    id: message.id,
    content: 'hello',
    metadata: null,
    timestamp: '2100-01-01T00:00:00.000Z',
  });
  expect(await messages.findMessage({ sessionId: other, id: message.id })).toBeUndefined();
  expect(await messages.listHeads([sessionId, uuidv7()])).toEqual([
    { sessionId, lastAt: '2100-01-01T00:00:00.000Z' },
  ]);
});
