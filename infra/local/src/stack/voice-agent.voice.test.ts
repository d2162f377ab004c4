import { randomUUID } from 'node:crypto';
import { Agent, Login, Message, Session, SessionToken } from '@session/contract';
import { PLANTED_KEY, says, startScriptedModel } from '@session/conversation/testing';
import { VoiceUser } from '@session/media/testing';
import { speech, startSpeechEndpoints } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import { DemoApi } from '../demo/api.ts';

const Created = z.object({ id: z.string() });
const Messages = z.object({ items: z.array(Message) });
const LONG =
  'This is the first sentence of mine. And this is the second sentence. Here is a third one.';

test('both roles of the voice agent, started by the API, hear and are heard; the history has what was said and heard, once', async () => {
  const run = startTestStack(await makeStackFolder('voice'));
  await using model = await startScriptedModel(says(LONG));
  await using endpoints = await startSpeechEndpoints({ transcribe: () => 'Good morning' });
  const { apiUrl } = await run.up();
  const api = new DemoApi(apiUrl);
  const account = { email: `${randomUUID()}@example.com`, password: randomUUID(), name: 'Ann' };
  api.authenticate((await api.post('/auth/signup', account, Login)).token);
  const { id: projectId } = await api.post('/projects', { name: 'Voice' }, Created);
  // The keys of speech are those of the model, which are sent to the same host only: here to none.
  const variables = {
    LLM_API_KEY: PLANTED_KEY,
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    GREETING: 'off',
    TURN_MAX_MS: '700',
    STT_BASE_URL: endpoints.baseUrl,
    TTS_BASE_URL: endpoints.baseUrl,
  };
  await api.post(`/projects/${projectId}/env-templates`, { name: 'Voice', variables }, Created);
  for (const role of ['core-agent', 'conversational-ai']) {
    const { id } = await api.post(`/projects/${projectId}/sessions`, { name: role }, Created);
    const url = `/sessions/${id}`;
    await until(async () => (await api.get(url, Session)).recording.status === 'recording');
    const ann = await joinSpeaking(api, id);
    const agent = await api.post(`${url}/agents`, { role }, Agent);
    const isRunning = async () =>
      (await api.get(`/agents/${agent.id}`, Agent)).status === 'Running';
    await until(isRunning);
    const hearing = await ann.hear();
    await ann.untilListenedTo();
    await ann.speak(speech(1000));
    await expect.poll(() => hearing.loudMs, { timeout: 30_000 }).toBeGreaterThan(2500);
    await ann.joined.say('Stop');
    const spoken = async () => {
      const { items } = await api.get(`${url}/messages`, Messages);
      return items.toReversed().filter((message) => message.role !== 'system');
    };
    await expect.poll(spoken, { timeout: 30_000 }).toHaveLength(4);
    const messages = await spoken();
    const [asked] = messages;
    const [cut, answer] = messages.filter((message) => message.role === 'assistant');
    expect(asked).toMatchObject({
      role: 'user',
      status: 'complete',
      content: 'Good morning',
      metadata: { kind: 'transcript', participant: { identity: ann.identity } },
    });
    expect(cut).toMatchObject({ role: 'assistant', status: 'complete' });
    expect(cut?.metadata).toMatchObject({ interrupted: true });
    expect(LONG.startsWith(cut?.content ?? '-')).toBe(true);
    expect(answer).toMatchObject({ role: 'assistant', status: 'complete', content: LONG });
    await api.delete(`/agents/${agent.id}`, z.any());
    const ended = await until(async () => {
      const found = await api.get(`/agents/${agent.id}`, Agent);
      return found.status === 'Stopped' && found;
    });
    expect(ended).toMatchObject({ reason: 'requested', exitCode: 0 });
  }
  expect(endpoints.transcriptions.map(({ authorization }) => authorization)).toEqual([
    undefined,
    undefined,
  ]);
}, 120_000);

async function joinSpeaking(api: DemoApi, sessionId: string): Promise<VoiceUser> {
  const url = `/sessions/${sessionId}/token`;
  const { serverUrl, participantToken: token } = await api.post(url, {}, SessionToken);
  const server = { url: serverUrl, apiKey: '', apiSecret: '' };
  const ann = await VoiceUser.join(server, sessionId, 'Ann', { token });
  onTestFinished(() => ann.leave());
  return ann;
}
