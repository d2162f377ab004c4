import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { erase, erasureTest as test } from '../../../testing/erasure-test.ts';

test('200 with the receipts in pages, the newest first', async ({
  api,
  ana,
  projectId,
  sessionId,
}) => {
  const ids: string[] = [];
  for (const identity of ['a', 'b', 'c']) {
    ids.unshift((await erase(api, ana, projectId, { sessionId, identity })).id);
  }
  const url = `/projects/${projectId}/erasures?limit=2`;
  const first = (await api.inject(ana, { url })).json();
  expect(first.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
  const second = (await api.inject(ana, { url: `${url}&cursor=${first.nextCursor}` })).json();
  expect(second).toMatchObject({ items: [{ id: ids[2] }], nextCursor: null });
});

test('400 for a cursor of no erasure', async ({ api, ana, projectId }) => {
  const url = `/projects/${projectId}/erasures?cursor=${uuidv7()}`;
  const answer = await api.inject(ana, { url });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_cursor']);
});
