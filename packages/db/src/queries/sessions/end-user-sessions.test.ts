import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { upsertEndUser } from '../accounts/end-users.ts';
import { markSessionDeleted } from './deletions.ts';
import { listSessions } from './session-search.ts';

test('the sessions of an end user are listed in both orders, without those that are deleted or of others', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const [first = '', gone = '', others = '', last = ''] = await project.newSessions(4);
  const [ada, ben] = [uuidv7(), uuidv7()];
  const letIn = async (id: string, sessionId: string) =>
    await upsertEndUser(project, {
      id,
      projectId,
      externalId: id,
      name: 'Ada',
      sessionId,
      issuedBy: userId,
    });
  for (const sessionId of [first, gone, last]) await letIn(ada, sessionId);
  await letIn(ben, others);
  await markSessionDeleted(project, gone, userId);
  const list = async (order: 'asc' | 'desc') => {
    const query = { projectId, userId, limit: 10, order, endUserId: ada };
    const page = await listSessions(project, query);
    return page?.sessions.map(({ id }) => id);
  };
  const oldestFirst = [first, last].toSorted();
  expect(await list('asc')).toEqual(oldestFirst);
  expect(await list('desc')).toEqual(oldestFirst.toReversed());
});
