import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('both secrets of a rotated key are valid, with keepOldHours 0 the new one only; an expired key is not rotated', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const key = await api.createKey(projectId);
  const rotate = async (payload: object) => {
    const url = `/api-keys/${key.id}/rotate`;
    return await api.inject(ana, { method: 'POST', url, payload });
  };
  const second = (await rotate({})).json();
  expect(second).toMatchObject({ id: key.id, prefix: second.secret.slice(0, 19) });
  expect(await read(api, key)).toBe(200);
  expect(await read(api, { ...key, token: second.secret })).toBe(200);
  const third = (await rotate({ keepOldHours: 0 })).json();
  const statuses = async () => [
    await read(api, key),
    await read(api, { ...key, token: second.secret }),
  ];
  await expect.poll(statuses).toEqual([401, 401]);
  expect(await read(api, { ...key, token: third.secret })).toBe(200);
  await api.deps.database.sql`update api_keys set expires_at = now()`;
  expect((await rotate({})).json().code).toBe('conflict');
});

async function read(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/projects' })).statusCode;
}
