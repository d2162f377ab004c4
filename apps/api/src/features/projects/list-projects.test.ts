import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the user’s own projects only, the newest first, a page at a time', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const oldest = await api.createProject(ben, [[ana, 'MEMBER']]);
  const middle = await api.createProject(ana);
  const newest = await api.createProject(ana);
  await api.createProject(ben);
  const first = (await api.inject(ana, { url: '/projects?limit=2' })).json();
  expect(first).toMatchObject({
    items: [
      { id: newest, name: 'project', role: 'OWNER' },
      { id: middle, role: 'OWNER' },
    ],
    nextCursor: middle,
  });
  const url = `/projects?limit=2&cursor=${first.nextCursor}`;
  const second = (await api.inject(ana, { url })).json();
  expect(second).toMatchObject({ items: [{ id: oldest, role: 'MEMBER' }], nextCursor: null });
});

test('200 with an empty list for a user without projects, and no page after one that is exactly full', async ({
  api,
  ana,
}) => {
  const empty = { items: [], nextCursor: null };
  expect((await api.inject(ana, { url: '/projects' })).json()).toEqual(empty);
  const id = await api.createProject(ana);
  const full = await api.inject(ana, { url: '/projects?limit=1' });
  expect(full.json()).toMatchObject({ items: [{ id }], nextCursor: null });
});
