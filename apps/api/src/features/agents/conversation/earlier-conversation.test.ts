import { PLANTED_KEY, says, startScriptedModel } from '@session/conversation/testing';
import * as db from '@session/db';
import { expect, test } from 'vitest';
import { openTestAgents } from '../../../../testing/agents.ts';
import { spoken } from '../../../../testing/history.ts';

const STEPS = [
  { id: 'day', title: 'The day', instructions: 'Ask for the day.' },
  { id: 'room', title: 'The room', instructions: 'Ask for the room.' },
];

test('an agent that joins an old session does not greet: it answers what waits, also beside an echo agent, at the step that its plan has reached', async () => {
  await using model = await startScriptedModel(says('You are Ada.'));
  await using agents = await openTestAgents();
  const { api, ana } = agents;
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const post = async (url: string, payload: object) =>
    (await api.inject(ana, { method: 'POST', url, payload })).json();
  const variables = {
    LLM_API_KEY: PLANTED_KEY,
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
  };
  await post(`/projects/${projectId}/env-templates`, { name: 'model', variables });
  const plan = await post(`/projects/${projectId}/plan-templates`, { name: 'P', steps: STEPS });
  const say = async (content: string) => await post(`/sessions/${sessionId}/messages`, { content });
  await say('I am Ada.');
  const participant = { identity: 'agent-light-agent-1', name: 'Light agent', kind: 'agent' };
  const payload = {
    plan: { id: plan.id, name: 'P' },
    revision: 2,
    steps: STEPS.map(({ id, title }, n) => ({ id, title, state: n === 0 ? 'done' : 'active' })),
  };
  const kind = 'complete_todo_list';
  const metadata = { kind, participant, payload };
  await db.appendMessages(api.deps.database, [
    spoken(sessionId, { content: 'Hello Ada.', metadata: { participant, interrupted: true } }),
    spoken(sessionId, { role: 'system', kind, metadata }),
  ]);
  await say('Who am I?');
  const echo = { ...participant, identity: 'agent-echo-agent-0a1b2c3d' };
  const echoed = { content: 'You said: Who am I?', metadata: { participant: echo } };
  await db.appendMessages(api.deps.database, [spoken(sessionId, echoed)]);

  await agents.open();
  const url = `/sessions/${sessionId}/agents`;
  const { id } = await post(url, { role: 'light-agent', planId: plan.id });
  await agents.until(id, 'Running');
  await expect.poll(() => model.requests).toHaveLength(1);
  const [system, ...talk] = JSON.parse(JSON.stringify(model.requests[0]?.body['messages']));
  expect(system.content).toMatch(/Current step:\s+id: room/);
  expect(talk.map(({ content }: { content: string }) => content).join('|')).toMatch(
    /^[^|]*I am Ada\.\|Hello Ada\..*\|.*Who am I\?$/s,
  );
  await agents.stop(id);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ exitCode: 0 });
  expect(model.requests).toHaveLength(1);
});
