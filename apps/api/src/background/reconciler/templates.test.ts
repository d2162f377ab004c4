import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';

const variables = { LLM_API_KEY: 'sk-hunter2-of-the-tests', ECHO_MODE: 'both' };

test.skipIf(process.platform !== 'linux')(
  'the echo agent has the values in its environment, and its stored log has them masked',
  async () => {
    await using agents = await openTestAgents();
    const { sessionId } = await createTemplate(agents, variables);
    await agents.open();
    const { id } = await agents.start('echo-agent', sessionId);
    await agents.until(id, 'Running');
    const environment = await readFile(`/proc/${await agents.pidOf(id)}/environ`, 'utf8');
    expect(environment.split('\0')).toEqual(
      expect.arrayContaining([`LLM_API_KEY=${variables.LLM_API_KEY}`, 'ECHO_MODE=both']),
    );
    await agents.stop(id);
    await agents.until(id, 'Stopped');
    const lines = (await agents.logs(id)).items.map(({ line }) => line);
    expect(lines).toContain('ECHO_MODE •••• has no effect yet: text is answered, with text');
  },
  60_000,
);

test('a program gets its template’s values unchanged, its plan, and the service’s own variables instead of the template’s', async () => {
  const program = `
    const { LLM_API_KEY, PLAN, AGENT_ID } = process.env;
    console.log(JSON.stringify({ backwards: LLM_API_KEY.split('').toReversed().join(''), plan: JSON.parse(PLAN), AGENT_ID }));
    console.error('Wrong key: ' + LLM_API_KEY);`;
  await using agents = await openTestAgents({ programs: { 'light-agent': program } });
  const { api, ana } = agents;
  const { templateId, projectId, sessionId } = await createTemplate(agents, variables);
  // The API would never store this template.
  const identity = { id: templateId, projectId };
  const sealed = api.deps.vault.seal({ ...variables, AGENT_ID: 'another' }, identity);
  const template = {
    ...identity,
    name: 'keys',
    keys: ['LLM_API_KEY'],
    isDefault: false,
    version: 1,
  };
  await api.deps.envTemplates.updateEnvTemplate({ ...template, ...sealed });
  const plans = `/projects/${projectId}/plan-templates`;
  const steps = [{ title: 'Name', instructions: 'Ask for it.', deliverable: 'Customer' }];
  const payload = { name: 'Intake', steps };
  const plan = (await api.inject(ana, { method: 'POST', url: plans, payload })).json();
  await agents.open();
  const url = `/sessions/${sessionId}/agents`;
  const start = { role: 'light-agent', planId: plan.id };
  const { id } = (await api.inject(ana, { method: 'POST', url, payload: start })).json();
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'completed' });
  const lines = (await agents.logs(id)).items.map(({ line }) => line);
  const printed = JSON.parse(lines.find((line) => line.startsWith('{')) ?? '');
  const backwards = variables.LLM_API_KEY.split('').toReversed().join('');
  expect(printed).toEqual({ backwards, plan, AGENT_ID: id });
  expect(lines).toContain('Wrong key: ••••');
  expect(lines.join('\n')).not.toContain(variables.LLM_API_KEY);
}, 60_000);

test('an agent whose template was deleted before its start is `bad_configuration`', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': '' } });
  const { templateId, sessionId } = await createTemplate(agents, variables);
  const { api, ana } = agents;
  const url = `/sessions/${sessionId}/agents`;
  const payload = { role: 'light-agent' };
  const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
  await api.inject(ana, { method: 'DELETE', url: `/env-templates/${templateId}` });
  await agents.open();
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'bad_configuration',
    detail: 'The agent’s environment template was deleted, or does not contain LLM_API_KEY.',
  });
}, 60_000);

test('an agent whose template cannot be opened is `bad_configuration`, and delays no other agent', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': '' } });
  const { templateId, projectId, sessionId } = await createTemplate(agents, variables);
  const identity = { id: templateId, projectId };
  const lost = { ...agents.api.deps.vault.seal(variables, identity), keyId: 'lost' };
  const template = {
    ...identity,
    name: 'keys',
    keys: ['LLM_API_KEY'],
    isDefault: false,
    version: 1,
  };
  await agents.api.deps.envTemplates.updateEnvTemplate({ ...template, ...lost });
  await agents.open();
  const { id } = await agents.start('echo-agent', sessionId);
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'bad_configuration',
    detail: 'The values of the agent’s template cannot be read with the current key.',
  });
}, 60_000);

/** Creates a project with a session and one environment template. */
async function createTemplate({ api, ana }: TestAgents, values: Record<string, string>) {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const url = `/projects/${projectId}/env-templates`;
  const payload = { name: 'keys', variables: values };
  const created = await api.inject(ana, { method: 'POST', url, payload });
  return { templateId: String(created.json().id), projectId, sessionId };
}
