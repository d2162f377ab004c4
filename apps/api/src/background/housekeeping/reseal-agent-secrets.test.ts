import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { resealAgentSecrets } from './reseal-agent-secrets.ts';

const former = 'the former key, of 32 bytes or more';
const present = 'the present key, of 32 bytes or more';
const lost = 'a key that is lost, of 32 bytes or more';
const variables = { LLM_API_KEY: 'hunter2' };

test('after a change of key the values of agents are sealed with the new key, past those that no key opens', async () => {
  await using database = await createTestDatabase();
  await using before = await startTestApi(database.url, { env: { ENCRYPTION_KEY: former } });
  await using other = await startTestApi(database.url, { env: { ENCRYPTION_KEY: lost } });
  const ana = await before.createUser();
  const ids: string[] = [];
  for (let index = 0; index < 2; index += 1) {
    const url = `/sessions/${await before.createSession(ana)}/agents`;
    const payload = { role: 'echo-agent' };
    ids.push((await before.inject(ana, { method: 'POST', url, payload })).json().id);
  }
  const [first = '', second = ''] = ids;
  for (const { id, projectId } of await db.listLiveAgents(before.deps.database)) {
    const { vault } = id === first ? other.deps : before.deps;
    const sealed = vault.seal(variables, { id, projectId });
    // The first has been damaged: it names a key that is here, and that does not open it.
    const { keyId } = before.deps.vault;
    await db.insertAgentSecrets(before.deps.database, id, { ...sealed, keyId });
  }
  const env = { ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former };
  await using during = await startTestApi(database.url, { env });
  expect(await resealAgentSecrets(during.deps)).toEqual([second]);
  expect(await resealAgentSecrets(during.deps)).toEqual([]);
  await using after = await startTestApi(database.url, { env: { ENCRYPTION_KEY: present } });
  const sealed = await db.readAgentSecrets(after.deps.database, second);
  expect(sealed && after.deps.vault.open(sealed)).toEqual(variables);
  expect(await resealAgentSecrets(after.deps)).toEqual([]);
});
