import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with a page of end users, the newest first, or with the one of an external id', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const ada = await api.createParticipant(ana, sessionId, 'customer-7');
  const ben = await api.createParticipant(ana, sessionId, 'customer-8');
  const url = `/projects/${projectId}/end-users`;
  const list = async (query = '') => (await api.inject(ana, { url: url + query })).json();
  const shown = { projectId, name: 'guest', createdAt: expect.stringMatching(/Z$/) };
  const first = await list('?limit=1');
  expect(first).toEqual({
    items: [{ id: ben.id, externalId: 'customer-8', ...shown }],
    nextCursor: ben.id,
  });
  const second = await list(`?limit=1&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ items: [{ id: ada.id }], nextCursor: null });
  expect(await list('?externalId=customer-7')).toEqual(second);
  expect(await list('?externalId=nobody')).toEqual({ items: [], nextCursor: null });
  expect(await list(`?cursor=${uuidv7()}`)).toMatchObject({ code: 'invalid_cursor' });
});

test('200 with the next page after the end users of a page were erased', async ({ api, ana }) => {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const ada = await api.createParticipant(ana, sessionId, 'customer-7');
  const { id } = await api.createParticipant(ana, sessionId, 'customer-8');
  const url = `/projects/${projectId}/end-users?limit=1`;
  const { nextCursor } = (await api.inject(ana, { url })).json();
  await db.forgetEndUser(api.deps.database, { id, projectId });
  const next = await api.inject(ana, { url: `${url}&cursor=${nextCursor}` });
  expect(next.json()).toMatchObject({ items: [{ id: ada.id }], nextCursor: null });
});
