import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { resealTemplates } from './reseal-templates.ts';

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
  expect(await resealTemplates(during.deps)).toEqual([template.id]);
  expect(await resealTemplates(during.deps)).toEqual([]);
  await using after = await startTestApi(database.url, { env: { ENCRYPTION_KEY: present } });
  const sealed = await after.deps.envTemplates.readEnvTemplate(template.id);
  expect(sealed && after.deps.vault.open(sealed)).toEqual(variables);
  const [listed] = (await after.inject(ana, { url })).json().items;
  expect(listed).toEqual(template);
});
