import type { RoomEvent } from '@session/contract/room';
import { joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';

test('a template of LLM_API_KEY alone is enough: the light agent greets, and answers what a client says over REST', async () => {
  await using agents = await openTestAgents();
  const sessionId = await createSession(agents, { LLM_API_KEY: 'rehearsal' });
  const texts: string[] = [];
  const onEvent = (event: RoomEvent) => {
    if (event.type === 'text_stream') texts.push(event.text);
  };
  const media = testMedia();
  const { token } = await userToken(media, { room: sessionId, userId: 'ann', name: 'Ann' });
  const ann = await joinRoom({ url: media.url, token, onEvent });
  onTestFinished(() => ann.leave());
  await agents.open();
  const id = await start(agents, sessionId);
  await agents.until(id, 'Running');
  await expect.poll(() => texts).toHaveLength(1);
  const { api, ana } = agents;
  const url = `/sessions/${sessionId}/messages`;
  await api.inject(ana, { method: 'POST', url, payload: { content: 'Good morning' } });
  await expect.poll(() => texts).toHaveLength(2);
  expect(texts).toEqual([expect.stringContaining('rehearsal model'), 'You said: Good morning']);
  await agents.stop(id);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ exitCode: 0 });
});

test('a faulty template ends the light agent with code 78, and the log names the variable', async () => {
  await using agents = await openTestAgents();
  const variables = { LLM_API_KEY: 'rehearsal', LLM_TURN_MS: '-1' };
  const sessionId = await createSession(agents, variables);
  await agents.open();
  const id = await start(agents, sessionId);
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    exitCode: 78,
    reason: 'bad_configuration',
    detail: 'Its configuration is refused: its log says what is wrong.',
  });
  const lines = (await agents.logs(id)).items.map(({ line }) => line);
  expect(lines).toEqual([expect.stringMatching(/^LLM_TURN_MS is not valid: a whole number from /)]);
});

/** Creates a session in a project with one environment template. */
async function createSession({ api, ana }: TestAgents, variables: Record<string, string>) {
  const projectId = await api.createProject(ana);
  const url = `/projects/${projectId}/env-templates`;
  await api.inject(ana, { method: 'POST', url, payload: { name: 'model', variables } });
  return await api.createSession(ana, projectId);
}

async function start({ api, ana }: TestAgents, sessionId: string): Promise<string> {
  const url = `/sessions/${sessionId}/agents`;
  const payload = { role: 'light-agent' };
  return String((await api.inject(ana, { method: 'POST', url, payload })).json().id);
}
