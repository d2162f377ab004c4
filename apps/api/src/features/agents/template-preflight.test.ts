import { expect } from 'vitest';
import { DESK, agentTemplateTest as test } from '../../../testing/agent-templates.ts';

test('a dry run names variables, secrets and addresses that would not do, and starts nothing', async ({
  api,
  ana,
  projectId,
  templates,
}) => {
  const post = async (url: string, payload: object) =>
    await api.inject(ana, { method: 'POST', url, payload });
  const secret = { name: 'keys', variables: { LLM_API_KEY: 'rehearsal' } };
  const keys = (await post(`/projects/${projectId}/env-templates`, secret)).json();
  const [tool] = DESK.tools;
  const closed = { method: 'GET', url: 'https://10.0.0.1/?day={day}' };
  const tools = [tool, { ...tool, name: 'closed', request: closed }];
  const agentTemplateId = (await templates.post({ ...DESK, tools, mcpServers: [] })).json().id;
  const sessionId = await api.createSession(ana, projectId);
  const codesOf = async (body: object) => {
    const url = `/sessions/${sessionId}/agents?dryRun=true`;
    const answer = await post(url, { agentTemplateId, ...body });
    const problems: { code: string }[] = answer.json().problems;
    // There is no media server here.
    return problems.map(({ code }) => code).filter((code) => code !== 'media_unavailable');
  };
  expect(await codesOf({})).toEqual(['missing_variable']);
  expect(await codesOf({ agentTemplateVersion: 9 })).toEqual(['not_found']);
  const variables = { guest: 'Ada' };
  expect(await codesOf({ variables })).toEqual(['secret_missing', 'tool_address_refused']);
  const change = { method: 'PATCH', url: `/env-templates/${keys.id}` } as const;
  await api.inject(ana, { ...change, payload: { variables: { HOTEL_KEY: 'h' } } });
  expect(await codesOf({ variables })).toEqual(['secret_host', 'tool_address_refused']);
  const hosts = { HOTEL_KEY: ['api.hotel.example'] };
  await api.inject(ana, { ...change, payload: { variables: { HOTEL_KEY: 'h' }, hosts } });
  expect(await codesOf({ variables })).toEqual(['tool_address_refused']);
  await api.inject(ana, { ...change, payload: { variables: { HOTEL_KEY: 'hôtel' } } });
  const open = { ...DESK, name: 'Open', mcpServers: [] };
  const { id } = (await templates.post(open)).json();
  expect(await codesOf({ variables, agentTemplateId: id })).toEqual(['bad_configuration']);
  const url = `/sessions/${sessionId}/agents`;
  expect((await api.inject(ana, { url })).json().items).toEqual([]);
});
