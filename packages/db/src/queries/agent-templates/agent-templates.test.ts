import { MAX, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { newAgentTemplate } from '../../../testing/agent-templates.ts';
import { test } from '../../../testing/project-test.ts';
import { insertAgentTemplate } from './agent-template-changes.ts';
import { findAgentTemplate, listAgentTemplates } from './agent-templates.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a template is found only by members, and listed with the names of its tools', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const tools = [{ name: 'find' }, { name: 'book' }];
  const definition = { greeting: 'Hello.', tools, mcpServers: [{ name: 'crm' }] };
  const template = newAgentTemplate(project, { definition });
  await insertAgentTemplate(project, template);
  const { id } = template;
  const { by: _by, ...content } = template;
  const head = { version: 1, createdBy: userId, createdAt: ISO, updatedBy: userId, updatedAt: ISO };
  expect(await findAgentTemplate(project, { id, userId })).toEqual({
    ...content,
    ...head,
    memberRole: 'OWNER',
  });
  const stranger = await project.newUser();
  expect(await findAgentTemplate(project, { id, userId: stranger })).toBeUndefined();
  expect(await findAgentTemplate(project, { id: uuidv7(), userId })).toBeUndefined();
  const { definition: _definition, ...listed } = content;
  const page = { projectId, before: MAX, limit: 9 };
  expect(await listAgentTemplates(project, page)).toEqual([
    { ...listed, ...head, toolNames: ['find', 'book'], mcpServerNames: ['crm'] },
  ]);
  expect(await listAgentTemplates(project, { ...page, before: id })).toEqual([]);
});

test('lists the newest first, page by page', async ({ project }) => {
  const { projectId } = project;
  const templates = Array.from({ length: 3 }, () => newAgentTemplate(project));
  for (const template of templates) await insertAgentTemplate(project, template);
  const [first, second, third] = templates.map(({ id }) => id);
  const idsOf = async (before: string) =>
    (await listAgentTemplates(project, { projectId, before, limit: 2 })).map(({ id }) => id);
  expect(await idsOf(MAX)).toEqual([third, second]);
  expect(await idsOf(second ?? '')).toEqual([first]);
});
