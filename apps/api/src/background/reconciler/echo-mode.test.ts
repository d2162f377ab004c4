import { agentIdentity } from '@session/contract/room';
import { VoiceUser } from '@session/media/testing';
import { joinSounds, silence, testMedia, tone } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';

test('an agent started with echoMode audio says speech back, within the permissions of its process, whatever its template says', async () => {
  await using agents = await openTestAgents();
  const { api, ana } = agents;
  const sessionId = await api.createSession(ana);
  const { projectId } = (await api.inject(ana, { url: `/sessions/${sessionId}` })).json();
  const template = { name: 'echo', variables: { ECHO_MODE: 'text' } };
  const url = `/projects/${projectId}/env-templates`;
  await api.inject(ana, { method: 'POST', url, payload: template });
  await agents.open();
  const payload = { role: 'echo-agent', config: { echoMode: 'audio' } };
  const started = await api.inject(ana, {
    method: 'POST',
    url: `/sessions/${sessionId}/agents`,
    payload,
  });
  const { id } = started.json();
  await agents.until(id, 'Running');
  await using ann = await VoiceUser.join(testMedia(), sessionId, 'Ann');
  const hearing = await ann.hear();
  const echoed = async () => {
    await ann.speak(joinSounds(tone(500, 300), tone(700, 300), silence(1200)));
    return hearing.tones;
  };
  // The agent may not receive the first words: it has to subscribe to the person's microphone.
  await expect.poll(echoed).toEqual(expect.arrayContaining([500, 700]));
  await agents.stop(id);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested', exitCode: 0 });
});

test('a text over REST is delivered to an echo agent that reads, as soon as it runs, and to none that only hears', async () => {
  await using agents = await openTestAgents();
  const { api, ana } = agents;
  await agents.open();
  const readersBeside = async (echoMode: string) => {
    const sessionId = await api.createSession(ana);
    const start = { method: 'POST', url: `/sessions/${sessionId}/agents` } as const;
    const payload = { role: 'echo-agent', config: { echoMode } };
    const { id } = (await api.inject(ana, { ...start, payload })).json();
    await agents.until(id, 'Running');
    const say = { ...start, url: `/sessions/${sessionId}/messages`, payload: { content: 'hello' } };
    const { deliveredTo } = (await api.inject(ana, say)).json();
    await agents.stop(id);
    return [deliveredTo, agentIdentity({ role: 'echo-agent', agentId: id })];
  };
  for (const echoMode of ['text', 'both']) {
    const [deliveredTo, identity] = await readersBeside(echoMode);
    expect([echoMode, deliveredTo]).toEqual([echoMode, [identity]]);
  }
  expect(await readersBeside('audio')).toMatchObject([[], expect.stringMatching(/^agent-/)]);
});
