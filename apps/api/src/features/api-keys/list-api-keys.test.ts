import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with a page of keys, the newest first, without a secret; 403 for a MEMBER', async ({
  api,
  ana,
}) => {
  const member = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[member, 'MEMBER']]);
  const keys = [await api.createKey(projectId), await api.createKey(projectId, 'ADMIN')];
  const url = `/projects/${projectId}/api-keys`;
  const first = await api.inject(ana, { url: `${url}?limit=1` });
  expect(first.json()).toMatchObject({
    items: [{ id: keys[1]?.id, role: 'ADMIN' }],
    nextCursor: keys[1]?.id,
  });
  const second = await api.inject(ana, { url: `${url}?limit=1&cursor=${keys[1]?.id}` });
  expect(second.json()).toMatchObject({ items: [{ id: keys[0]?.id }], nextCursor: null });
  for (const { token } of keys) expect(first.body + second.body).not.toContain(token.slice(20));
  expect((await api.inject(member, { url })).json().code).toBe('forbidden');
});
