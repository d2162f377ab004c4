import { expect } from 'vitest';
import { newAgentTemplate } from '../../../testing/agent-templates.ts';
import { addAgent, newAgent } from '../../../testing/agents.ts';
import { test } from '../../../testing/project-test.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { requestAgentStop, updateAgentState } from '../agents/agent-changes.ts';
import { insertAgent } from '../agents/agent-insertion.ts';
import {
  deleteAgentTemplate,
  insertAgentTemplate,
  KEPT_VERSIONS,
  updateAgentTemplate,
} from './agent-template-changes.ts';
import { listAgentTemplateVersions } from './agent-template-versions.ts';
import { findAgentTemplate } from './agent-templates.ts';

test('of two writers of one version only one writes', async ({ project }) => {
  const template = newAgentTemplate(project);
  await insertAgentTemplate(project, template);
  const write = (name: string) =>
    updateAgentTemplate(project, { ...template, name, version: 1 }, { templates: 9 });
  const outcomes = await Promise.all(['a', 'b', 'c'].map(write));
  expect(outcomes.toSorted()).toEqual(['changed', 'changed', 'updated']);
  const { userId } = project;
  expect(await findAgentTemplate(project, { id: template.id, userId })).toMatchObject({
    version: 2,
  });
});

test('the newest versions are kept, and those with which live agents run', async ({ project }) => {
  const template = newAgentTemplate(project);
  await insertAgentTemplate(project, template);
  const start = (version: number) =>
    addAgent(project, { agentTemplate: { id: template.id, version, values: {} } });
  await start(2);
  const stopped = await start(3);
  const state = { status: 'Stopped', reason: 'requested', detail: null, exitCode: 0 } as const;
  await updateAgentState(project, stopped, state);
  for (let version = 1; version <= KEPT_VERSIONS + 3; version += 1) {
    await updateAgentTemplate(project, { ...template, version });
  }
  const page = { templateId: template.id, before: 999, limit: 999 };
  const versions = (await listAgentTemplateVersions(project, page)).map(({ version }) => version);
  const newest = Array.from({ length: KEPT_VERSIONS }, (_, index) => KEPT_VERSIONS + 4 - index);
  expect(versions).toEqual([...newest, 2]);
});

test('a template stays while an agent that has not stopped uses it', async ({ project }) => {
  const template = newAgentTemplate(project);
  await insertAgentTemplate(project, template);
  const agentTemplate = { id: template.id, version: 1, values: {} };
  const agentId = await addAgent(project, { agentTemplate });
  await requestAgentStop(project, agentId, 'requested');
  const remove = () => deleteAgentTemplate(project, template, project.userId);
  expect(await remove()).toBe('in_use');
  const state = { status: 'Stopped', reason: 'requested', detail: null, exitCode: 0 } as const;
  await updateAgentState(project, agentId, state);
  expect(await remove()).toBe('deleted');
  expect(await remove()).toBe('deleted');
  const { id, userId } = { ...project, id: template.id };
  expect(await findAgentTemplate(project, { id, userId })).toBeUndefined();
});

test('a start at the moment of a deletion comes first, or finds no template', async ({
  project,
}) => {
  const template = newAgentTemplate(project);
  await insertAgentTemplate(project, template);
  const agentTemplate = { id: template.id, version: 1, values: {} };
  const agent = newAgent(project, await project.newSession(), { agentTemplate });
  const started = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const starting = inTransaction(project, async (transaction) => {
    const outcome = await insertAgent(transaction, agent);
    started.resolve();
    await end.promise;
    return outcome;
  });
  await started.promise;
  const deleting = deleteAgentTemplate(project, template, project.userId);
  end.resolve();
  expect([await starting, await deleting]).toEqual(['inserted', 'in_use']);
  const other = newAgentTemplate(project);
  await insertAgentTemplate(project, other);
  await deleteAgentTemplate(project, other, project.userId);
  const late = { ...agentTemplate, id: other.id };
  const outcome = await insertAgent(
    project,
    newAgent(project, await project.newSession(), { agentTemplate: late }),
  );
  expect(outcome).toBe('template_gone');
});

test('templates count for the limits of their account', async ({ project }) => {
  const limits = { templates: 2, templateBytes: 1000 };
  const insert = (text: string) =>
    insertAgentTemplate(project, newAgentTemplate(project, { definition: { text } }), limits);
  expect(await insert('x'.repeat(900))).toBe('inserted');
  expect(await insert('x'.repeat(200))).toBe('template_bytes');
  expect(await insert('x')).toBe('inserted');
  expect(await insert('x')).toBe('template_capacity');
});
