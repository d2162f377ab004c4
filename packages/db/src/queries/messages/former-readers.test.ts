import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { listFormerReaders } from './former-readers.ts';

test('of many readers those are former ones who are no members of the project, and those of deleted sessions', async ({
  project,
}) => {
  const [kept = '', deleted = ''] = await project.newSessions(2);
  const [{ userId: ben }, { userId: cleo }] = [
    await project.newMember(),
    await project.newMember(),
  ];
  const elsewhere = await project.newProject();
  const readers = [
    { sessionId: kept, userId: ben },
    { sessionId: kept, userId: cleo },
    { sessionId: deleted, userId: ben },
    { sessionId: kept, userId: elsewhere.userId },
    { sessionId: kept, userId: ben },
  ];
  expect(await listFormerReaders(project, readers)).toEqual([3]);
  await project.sql`delete from memberships where user_id = ${cleo}`;
  await project.sql`update sessions set deleted_at = now() where id = ${deleted}`;
  expect(new Set(await listFormerReaders(project, readers))).toEqual(new Set([1, 2, 3]));
  expect(await listFormerReaders(project, [])).toEqual([]);
});
