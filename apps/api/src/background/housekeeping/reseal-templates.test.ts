import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test, vi } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { createResealing } from './reseal-templates.ts';

const former = 'the former key, of 32 bytes or more';
const present = 'the present key, of 32 bytes or more';
const variables = { LLM_API_KEY: 'hunter2' };

test('after a rotation templates are sealed with the new key, so that the former key can be deleted', async () => {
  await using database = await createTestDatabase();
  await using before = await startTestApi(database.url, { env: { ENCRYPTION_KEY: former } });
  const ana = await before.createUser();
  const projectId = await before.createProject(ana);
  const url = `/projects/${projectId}/env-templates`;
  const payload = { name: 'keys', variables };
  const template = (await before.inject(ana, { method: 'POST', url, payload })).json();
  const keys = { ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former };
  await using during = await startTestApi(database.url, { env: keys });
  const chore = createResealing(during.deps, during.app.log);
  expect(await chore()).toEqual([template.id]);
  expect(await chore()).toEqual([]);
  await using after = await startTestApi(database.url, { env: { ENCRYPTION_KEY: present } });
  const sealed = await db.readEnvTemplate(after.deps.database, template.id);
  expect(sealed && after.deps.vault.open(sealed)).toEqual(variables);
  const [listed] = (await after.inject(ana, { url })).json().items;
  expect(listed).toEqual(template);
});

test('templates that no key opens hold no others up, however many they are, and the log names each once', async () => {
  await using database = await createTestDatabase();
  const create = async (key: string, count: number) => {
    await using api = await startTestApi(database.url, { env: { ENCRYPTION_KEY: key } });
    const ana = await api.createUser();
    const url = `/projects/${await api.createProject(ana)}/env-templates`;
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const payload = { name: `keys ${index}`, variables };
      ids.push((await api.inject(ana, { method: 'POST', url, payload })).json().id);
    }
    return ids;
  };
  const lost = await create('a key that is lost, of 32 bytes or more', 45);
  const found = await create(former, 2);
  const env = { ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former };
  await using api = await startTestApi(database.url, { env });
  const warn = vi.spyOn(api.app.log, 'warn');
  const chore = createResealing(api.deps, api.app.log);
  expect(await chore()).toEqual(found);
  expect(warn.mock.calls.map(([fields]) => fields)).toEqual([{ templates: lost }]);
  expect(await chore()).toEqual([]);
  expect(warn).toHaveBeenCalledOnce();
});
