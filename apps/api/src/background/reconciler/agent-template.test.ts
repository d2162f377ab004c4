import { readFile } from 'node:fs/promises';
import type { RoomEvent } from '@session/contract/room';
import { appendMessages } from '@session/db';
import { joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { DESK } from '../../../testing/agent-templates.ts';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';
import { spoken } from '../../../testing/history.ts';

interface StartedPlan {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly { readonly id: string; readonly title: string }[];
}

const SECRET = 'sk-hunter2-of-the-tests';

test('an agent says the greeting of its template with the variable, and keeps its version over kill -9', async () => {
  await using agents = await openTestAgents({ limits: { restartDelaysMs: [10, 10, 10] } });
  const { api, ana } = agents;
  const { sessionId, template, start } = await prepare(agents, {});
  const texts: string[] = [];
  const onEvent = (event: RoomEvent) => {
    if (event.type === 'text_stream') texts.push(event.text);
  };
  const media = testMedia();
  const { token } = await userToken(media, { room: sessionId, userId: 'ann', name: 'Ann' });
  const ann = await joinRoom({ url: media.url, token, onEvent });
  onTestFinished(() => ann.leave());
  await agents.open();
  const guest = 'Ada {{hotel}}';
  const id = await start({ variables: { guest, hotel: 'the Astoria' } });
  await agents.until(id, 'Running');
  await expect.poll(() => texts).toEqual([`Welcome to the Astoria, ${guest}.`]);
  const first = await environmentOf(agents, id);
  expect(first).toMatchObject({
    GREETING: `Welcome to the Astoria, ${guest}.`,
    LLM_MODEL: 'small',
    TIME_ZONE: 'Europe/Rome',
    HOTEL_KEY: SECRET,
  });
  expect(JSON.parse(first['PLAN'] ?? '')).toMatchObject({
    name: 'Booking',
    steps: [{ instructions: `Ask ${guest} for the day.` }],
  });
  expect(JSON.parse(first['AGENT_DEFINITION'] ?? '')).toMatchObject({
    version: 1,
    tools: [{ name: 'find_rooms', request: { url: expect.stringContaining('Ada%20%7B%7Bhotel') } }],
    hosts: { HOTEL_KEY: ['api.hotel.example'] },
  });

  const plan = JSON.parse(first['PLAN'] ?? '');
  await appendMessages(api.deps.database, progressOf(sessionId, plan));

  await api.inject(ana, { method: 'PATCH', url: template, payload: { greeting: 'New.' } });
  process.kill((await agents.pidOf(id)) ?? 0, 'SIGKILL');
  await expect
    .poll(() => agents.find(id))
    .toMatchObject({ status: 'Running', restarts: 1, agentTemplateVersion: 1 });
  const second = await environmentOf(agents, id);
  for (const name of ['GREETING', 'PLAN', 'AGENT_DEFINITION', 'HOTEL_KEY']) {
    expect([name, second[name]]).toEqual([name, first[name]]);
  }
  expect(JSON.parse(second['CONVERSATION'] ?? '').state.plans).toMatchObject([
    { id: plan.id, deliverables: [{ id: 'day', value: '1 December' }] },
  ]);
  await agents.stop(id);
  await agents.until(id, 'Stopped');
});

test('an agent runs with a template of 100,000 bytes', async () => {
  await using agents = await openTestAgents();
  const steps = Array.from({ length: 8 }, (_, index) => ({
    title: `Step ${index}`,
    instructions: 'x'.repeat(8000),
  }));
  const plan = { name: 'Long', steps };
  const rest = { instructions: 'y'.repeat(32_700), greeting: 'z'.repeat(1400) };
  const { start, size } = await prepare(agents, { plan, ...rest, tools: null });
  expect(size).toBeGreaterThan(99_000);
  await agents.open();
  const id = await start({ variables: { guest: 'Ada' } });
  await agents.until(id, 'Running');
  await agents.stop(id);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ exitCode: 0 });
});

/** Returns the events of an agent that has set a deliverable in the first step of its plan. */
function progressOf(sessionId: string, { id, name, steps }: StartedPlan) {
  const participant = { identity: 'agent-light-agent-1', name: 'Light agent', kind: 'agent' };
  const event = (kind: string, payload: object) =>
    spoken(sessionId, { role: 'system', kind, metadata: { kind, participant, payload } });
  const deliverable = { id: 'day', title: 'Day', value: '1 December', version: 1 };
  return [
    event('complete_todo_list', {
      plan: { id, name },
      revision: 1,
      steps: steps.map((step) => ({ id: step.id, title: step.title, state: 'active' })),
    }),
    event('plan_deliverable_update', { plan: id, revision: 2, step: steps[0]?.id, deliverable }),
  ];
}

/** Creates a project with an environment template, an agent template that varies `DESK`, and a session. */
async function prepare({ api, ana }: TestAgents, part: object) {
  const projectId = await api.createProject(ana);
  const post = (url: string, payload: object) => api.inject(ana, { method: 'POST', url, payload });
  await post(`/projects/${projectId}/env-templates`, {
    name: 'keys',
    variables: { LLM_API_KEY: 'rehearsal', GREETING: 'Not this.', HOTEL_KEY: SECRET },
    hosts: { HOTEL_KEY: ['api.hotel.example'] },
  });
  const created = await post(`/projects/${projectId}/agent-templates`, { ...DESK, ...part });
  const sessionId = await api.createSession(ana, projectId);
  return {
    sessionId,
    template: String(created.headers.location),
    size: created.body.length,
    start: async (body: object): Promise<string> => {
      const agentTemplateId = created.json().id;
      const started = await post(`/sessions/${sessionId}/agents`, { agentTemplateId, ...body });
      return started.json().id;
    },
  };
}

async function environmentOf(agents: TestAgents, id: string): Promise<Record<string, string>> {
  const text = await readFile(`/proc/${await agents.pidOf(id)}/environ`, 'utf8');
  return Object.fromEntries(
    text.split('\0').map((entry) => {
      const end = entry.indexOf('=');
      return [entry.slice(0, end), entry.slice(end + 1)];
    }),
  );
}
