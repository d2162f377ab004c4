import { expect } from 'vitest';
import { newAgentTemplate } from '../../../testing/agent-templates.ts';
import { addAgent } from '../../../testing/agents.ts';
import { insertTestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { insertAgentTemplate, updateAgentTemplate } from './agent-template-changes.ts';
import {
  findAgentTemplateVersion,
  listAgentTemplateVersions,
  readVersionOfAgent,
} from './agent-template-versions.ts';

test('each version is kept as it was, and found by its number, the newest without one', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const template = newAgentTemplate(project, { definition: { greeting: 'one' } });
  await insertAgentTemplate(project, template);
  const second = { ...template, name: 'Desk', version: 1, definition: { greeting: 'two' } };
  await updateAgentTemplate(project, second);
  const templateId = template.id;
  const find = (version: number | null, of = projectId) =>
    findAgentTemplateVersion(project, { projectId: of, templateId, version });
  const row = { role: 'light-agent', createdBy: userId, createdAt: expect.any(String) };
  const one = { ...row, version: 1, name: 'Front desk', definition: { greeting: 'one' } };
  const two = { ...row, version: 2, name: 'Desk', definition: { greeting: 'two' } };
  expect([await find(1), await find(2), await find(3)]).toEqual([one, two, undefined]);
  expect(await find(null)).toEqual(two);
  const other = await insertTestProject(project);
  expect(await find(1, other.projectId)).toBeUndefined();
  const list = async (before: number) =>
    (await listAgentTemplateVersions(project, { templateId, before, limit: 9 })).map(
      ({ version, name }) => [version, name],
    );
  expect(await list(9)).toEqual([
    [2, 'Desk'],
    [1, 'Front desk'],
  ]);
  expect(await list(2)).toEqual([[1, 'Front desk']]);
});

test('an agent has the version that it was started with, and its variables', async ({
  project,
}) => {
  const template = newAgentTemplate(project, { definition: { greeting: 'one' } });
  await insertAgentTemplate(project, template);
  const values = { guest: 'Ada' };
  const agentTemplate = { id: template.id, version: 1, values };
  const id = await addAgent(project, { agentTemplate });
  await updateAgentTemplate(project, { ...template, version: 1, definition: { greeting: 'two' } });
  expect(await readVersionOfAgent(project, id)).toEqual({
    name: template.name,
    definition: { greeting: 'one' },
    variables: values,
  });
  expect(await readVersionOfAgent(project, await addAgent(project))).toBeUndefined();
});
