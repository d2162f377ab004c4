import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { insertMembership } from '../accounts/membership-changes.ts';
import { SESSIONS_OF_MEMBER } from './member-sessions.ts';
import { closeSession } from './session-end.ts';
import { insertSession } from './session-insertion.ts';

test('a user’s sessions are those of all their projects, each once, closed ones too, and no deleted one', async ({
  project,
}) => {
  const { sql, userId } = project;
  const [open = '', closed = '', deleted = ''] = await project.newSessions(3);
  await closeSession(project, closed, 'user');
  await sql`update sessions set deleted_at = now() where id = ${deleted}`;
  await project.newMember();
  const other = await project.newProject();
  const foreign = uuidv7();
  const talk = { projectId: other.projectId, name: 'a talk', createdBy: other.userId };
  await insertSession(project, { ...talk, id: foreign });
  const list = async (user: string) => {
    const rows = await sql.unsafe<{ id: string }[]>(
      `select session.id ${SESSIONS_OF_MEMBER} where membership.user_id = $1 order by session.id`,
      [user],
    );
    return rows.map(({ id }) => id);
  };
  expect(await list(userId)).toEqual([open, closed]);
  expect(await list(other.userId)).toEqual([foreign]);
  const membership = { id: uuidv7(), userId, projectId: other.projectId, role: 'MEMBER' } as const;
  await insertMembership(project, membership);
  expect(await list(userId)).toEqual([open, closed, foreign]);
});
