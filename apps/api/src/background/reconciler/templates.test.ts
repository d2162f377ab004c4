import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as db from '@session/db';
import { expect, test } from 'vitest';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';

const variables = {
  LLM_API_KEY: 'sk-hunter2-of-the-tests',
  ECHO_MODE: 'both',
  GIT_SSH_COMMAND: 'sh',
};

test.skipIf(process.platform !== 'linux')(
  'the echo agent has the values that its role reads in its environment, and its stored log shows what is no secret',
  async () => {
    await using agents = await openTestAgents();
    const { sessionId } = await createTemplate(agents, variables);
    await agents.open();
    const { id } = await agents.start('echo-agent', sessionId);
    await agents.until(id, 'Running');
    const environment = await readFile(`/proc/${await agents.pidOf(id)}/environ`, 'utf8');
    expect(environment.split('\0')).toContain('ECHO_MODE=both');
    expect(environment).not.toMatch(/LLM_API_KEY|hunter2|GIT_SSH_COMMAND/);
    await agents.stop(id);
    await agents.until(id, 'Stopped');
    const lines = (await agents.logs(id)).items.map(({ line }) => line);
    expect(lines).toContain('echo mode: both');
  },
);

test('a program gets its template’s values unchanged, its plan, the operator’s proxy and the service’s own variables', async () => {
  const program = `
    const { LLM_API_KEY, PLAN, AGENT_ID, https_proxy, GIT_SSH_COMMAND } = process.env;
    console.log(JSON.stringify({ backwards: LLM_API_KEY.split('').toReversed().join(''), plan: JSON.parse(PLAN), AGENT_ID, https_proxy, GIT_SSH_COMMAND }));
    console.error('Wrong key: ' + LLM_API_KEY);`;
  const env = { https_proxy: 'http://ada:p%40ss@proxy.example:3128' };
  await using agents = await openTestAgents({ env, programs: { 'light-agent': program } });
  const { api, ana } = agents;
  const { projectId, sessionId } = await createTemplate(agents, variables);
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
  const https_proxy = 'http://ada:••••@proxy.example:3128';
  expect(printed).toEqual({ backwards, plan, AGENT_ID: id, https_proxy });
  expect(lines).toContain('Wrong key: ••••');
  expect(lines.join('\n')).not.toContain(variables.LLM_API_KEY);
});

test('only agents with a voice get the address of the local speech server', async () => {
  const program = "console.log('speech:', process.env.AGENT_SPEECH_URL)";
  const env = { AGENT_SPEECH_URL: 'http://127.0.0.1:8090/v1' };
  const programs = { 'light-agent': program, 'core-agent': program };
  await using agents = await openTestAgents({ env, programs });
  await agents.open();
  for (const [role, given] of [
    ['light-agent', 'undefined'],
    ['conversational-ai', env.AGENT_SPEECH_URL],
  ]) {
    const { id } = await agents.start(role);
    await agents.until(id, 'Stopped');
    const lines = (await agents.logs(id)).items.map(({ line }) => line);
    expect(lines).toContain(`speech: ${given}`);
  }
});

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
    detail:
      'The agent’s environment template was deleted, or does not contain LLM_API_KEY. Start another agent with a complete template.',
  });
});

test('an agent whose stored template sets a reserved name is `bad_configuration` until the template loses that name', async () => {
  await using agents = await openTestAgents();
  const { api, ana } = agents;
  const { templateId, projectId, sessionId } = await createTemplate(agents, variables);
  // As it was stored before the name was reserved.
  const identity = { id: templateId, projectId };
  const coverage = path.join(agents.folder, 'coverage');
  const older = { ...variables, NODE_V8_COVERAGE: coverage };
  const content = { name: 'keys', keys: Object.keys(older), isDefault: false, version: 1 };
  const sealed = api.deps.vault.seal(older, identity);
  await db.updateEnvTemplate(api.deps.database, { ...identity, ...content, ...sealed });
  await agents.open();
  const { id } = await agents.start('echo-agent', sessionId);
  const detail = `The agent’s environment template sets NODE_V8_COVERAGE, which is reserved: delete it from the template.`;
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'bad_configuration', detail });
  expect(existsSync(coverage)).toBe(false);
  const url = `/env-templates/${templateId}`;
  const change = (given: object) =>
    api.inject(ana, { method: 'PATCH', url, payload: { variables: given } });
  const other = await change({ LLM_MODEL: 'small' });
  expect([other.statusCode, other.body]).toEqual([
    400,
    expect.stringContaining('NODE_V8_COVERAGE'),
  ]);
  expect((await change({ NODE_V8_COVERAGE: null })).statusCode).toBe(200);
  const next = await agents.start('echo-agent', sessionId);
  await agents.until(next.id, 'Running');
});

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
  await db.updateEnvTemplate(agents.api.deps.database, { ...template, ...lost });
  await agents.open();
  const { id } = await agents.start('echo-agent', sessionId);
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'bad_configuration',
    detail:
      'The values of the agent’s environment template cannot be decrypted with any key of the service: delete the template and create it again.',
  });
});

/** Creates a project with a session and one environment template. */
async function createTemplate({ api, ana }: TestAgents, values: Record<string, string>) {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const url = `/projects/${projectId}/env-templates`;
  const payload = { name: 'keys', variables: values };
  const created = await api.inject(ana, { method: 'POST', url, payload });
  return { templateId: String(created.json().id), projectId, sessionId };
}
