import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { markProjectDeleted } from '../sessions/deletions.ts';
import { closeSession } from '../sessions/session-end.ts';
import { insertPlanTemplate } from '../templates/plan-templates.ts';
import { findAccount, findUsageOfAccount, findUsageOfProject } from './account-usage.ts';
import { deleteMembership } from './membership-changes.ts';

const NOTHING = { projects: 0, sessions: 0, agents: 0, templates: 0, templateBytes: 0 };

test('what counts for an account is in all its projects: ACTIVE sessions, agents that run, and templates of both kinds', async ({
  project,
}) => {
  const { sql, userId, projectId } = project;
  const [closed = ''] = await project.newSessions(3);
  await closeSession(project, closed, 'user');
  await addAgent(project);
  const another = await project.newProject(userId);
  const steps = [{ id: 'one' }];
  const plan = {
    id: uuidv7(),
    projectId: another.projectId,
    name: 'Plan',
    description: 'é',
    steps,
  };
  await insertPlanTemplate(project, plan);
  await sql`
    insert into env_templates (id, project_id, name, keys, key_id, nonce, ciphertext)
    values (uuidv7(), ${projectId}, 'Keys', '{}', 'key', '', ${Buffer.alloc(500)})`;
  const planBytes = Buffer.byteLength('[{"id": "one"}]é');
  expect(await findUsageOfAccount(project, userId)).toEqual({
    projects: 2,
    sessions: 3,
    agents: 1,
    templates: 2,
    templateBytes: 500 + planBytes,
  });
  const ofTemplates = await findUsageOfAccount(project, userId, ['templates', 'templateBytes']);
  expect(ofTemplates).toEqual({ ...NOTHING, templates: 2, templateBytes: 500 + planBytes });
  expect(await findUsageOfProject(project, another.projectId)).toEqual({
    ...NOTHING,
    projects: 1,
    templates: 1,
    templateBytes: planBytes,
  });
  expect(await findUsageOfAccount(project, await project.newUser())).toEqual(NOTHING);
});

test('the account of a project is its longest-standing owner: not an older member, and not an owner who came later', async ({
  project,
}) => {
  const { sql, projectId, userId } = project;
  const [older, later] = [await project.newMember('ADMIN'), await project.newMember('OWNER')];
  await sql`update memberships set created_at = '2000-01-01' where id = ${older.id}`;
  expect(await findAccount(project, projectId)).toBe(userId);
  expect(await findUsageOfAccount(project, later.userId)).toEqual(NOTHING);
  const by = later.userId;
  await deleteMembership(project, { projectId, userId, seenRole: 'OWNER', by });
  expect(await findAccount(project, projectId)).toBe(later.userId);
  await markProjectDeleted(project, projectId);
  expect(await findAccount(project, projectId)).toBeNull();
  expect(await findUsageOfAccount(project, later.userId)).toEqual(NOTHING);
});
