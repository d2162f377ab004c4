import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { agentTemplateTest as test } from '../../../testing/agent-templates.ts';

test('409 while an agent that has not stopped uses it, then 204, and 404 from then on', async ({
  api,
  ana,
  templates,
  projectId,
}) => {
  const url = await templates.create();
  const { database } = api.deps;
  const agent = {
    id: uuidv7(),
    sessionId: await api.createSession(ana, projectId),
    role: 'light-agent',
    planId: null,
    envTemplateId: null,
    agentTemplate: { id: url.split('/').at(-1) ?? '', version: 1, values: {} },
    config: {},
    createdBy: ana.id,
  };
  await db.insertAgent(database, agent);
  const refused = await templates.ask('DELETE', url);
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'template_in_use']);
  const end = { reason: 'requested', detail: null, exitCode: 0 };
  await db.updateAgentState(database, agent.id, { status: 'Stopped', ...end });
  expect((await templates.ask('DELETE', url)).statusCode).toBe(204);
  expect((await templates.ask('GET', url)).statusCode).toBe(404);
  expect((await api.inject(ana, { url: `/agents/${agent.id}` })).json()).toMatchObject({
    agentTemplateId: null,
    agentTemplateVersion: 1,
  });
});
