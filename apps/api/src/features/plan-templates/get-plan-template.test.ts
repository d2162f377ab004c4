import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { STEP, planTemplateTest as test } from '../../../testing/plan-templates.ts';

test('200 with the steps for every member of the project', async ({ api, projectId, plans }) => {
  const url = await plans.create();
  const ben = await api.createUser('ben');
  const membership = { id: uuidv7(), userId: ben.id, projectId, role: 'MEMBER' } as const;
  await db.insertMembership(api.deps.database, membership);
  const found = await api.inject(ben, { url });
  expect([found.statusCode, found.json()]).toMatchObject([200, { projectId, steps: [STEP] }]);
});
