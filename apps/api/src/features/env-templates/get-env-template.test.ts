import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { envTemplateTest as test, VARIABLES } from '../../../testing/env-templates.ts';

test('200 for every member of the project, with the names of the variables and no value', async ({
  api,
  projectId,
  templates,
}) => {
  const { id } = (await templates.create({ name: 'keys', variables: VARIABLES })).json();
  const ben = await api.createUser('ben');
  const membership = { id: uuidv7(), userId: ben.id, projectId, role: 'MEMBER' } as const;
  await db.insertMembership(api.deps.database, membership);
  const found = await api.inject(ben, { url: `/env-templates/${id}` });
  expect([found.statusCode, found.json()]).toMatchObject([200, { keys: Object.keys(VARIABLES) }]);
  expect(found.body).not.toContain('hunter2');
});
