import { expect } from 'vitest';
import { erase, finishErasures, erasureTest as test } from '../../../testing/erasure-test.ts';

test('a message of the first millisecond of 1970 is exported, and is erased with its sender', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const participant = { id: 'customer-7', name: 'Ada' };
  const timestamp = '1970-01-01T00:00:00.000Z';
  const messages = ['one', 'two'].map((content) => ({
    id: content,
    role: 'user',
    content,
    timestamp,
    participant,
  }));
  const url = `/sessions/${sessionId}`;
  await api.inject(ana, { method: 'POST', url: `${url}/import`, payload: { messages } });
  const exported = async () => {
    const { body } = await api.inject(ana, { url: `${url}/export` });
    return body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  expect(await exported()).toMatchObject([{ content: 'one', timestamp }, { content: 'two' }]);
  const { id } = await erase(api, ana, projectId, { participantId: participant.id });
  await finishErasures(api, own);
  const erased = { erased: { erasureId: id } };
  expect(await exported()).toMatchObject([
    { content: '', timestamp, metadata: erased },
    { content: '', metadata: erased },
  ]);
});
