import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { erase, finishErasures, erasureTest as test } from '../../../testing/erasure-test.ts';

test('200 with the receipt, which has a digest once the erasure is done', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await finishErasures(api, own);
  const answer = await api.inject(ana, { url: `/erasures/${id}` });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    id,
    status: 'done',
    digest: expect.stringMatching(/^[\da-f]{64}$/),
    finishedAt: expect.any(String),
  });
});

test('404 for an unknown erasure', async ({ api, ana }) => {
  const answer = await api.inject(ana, { url: `/erasures/${uuidv7()}` });
  expect(answer.statusCode).toBe(404);
});
