import { expect } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('a deleted key is refused by every API of the service', async ({ api, ana, databaseUrl }) => {
  await using other = await startTestApi(databaseUrl);
  const projectId = await api.createProject(ana);
  const key = await api.createKey(projectId);
  expect([await read(api, key), await read(other, key)]).toEqual([200, 200]);
  const url = `/api-keys/${key.id}`;
  expect((await api.inject(ana, { method: 'DELETE', url })).statusCode).toBe(204);
  // The membership is gone with the answer, so nothing of the project is open any more.
  const project = { url: `/projects/${projectId}` };
  expect((await other.inject(key, project)).statusCode).toBeGreaterThanOrEqual(401);
  await expect.poll(async () => [await read(api, key), await read(other, key)]).toEqual([401, 401]);
  expect((await api.inject(ana, { method: 'DELETE', url })).statusCode).toBe(404);
});

async function read(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/projects' })).statusCode;
}
