import type { Client } from '@session/client';
import { PLANTED_KEY, says, startScriptedModel } from '@session/conversation/testing';
import { VoiceUser, WHOLE_SPEECH_MS } from '@session/media/testing';
import { speech, startSpeechEndpoints } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import { signUp } from '../demo/sign-up.ts';

const LONG =
  'This is the first sentence of mine. And this is the second sentence. Here is a third one.';

test('both roles of the voice agent, started by the API, hear and are heard; the history has what was said and heard, once', async () => {
  const run = startTestStack(await makeStackFolder('voice'));
  await using model = await startScriptedModel(says(LONG));
  await using endpoints = await startSpeechEndpoints({ transcribe: () => 'Good morning' });
  const { apiUrl } = await run.up();
  const { client } = await signUp(apiUrl, 'Ann');
  const { id: projectId } = await client.projects.create({ name: 'Voice' });
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
  await client.envTemplates.create(projectId, { name: 'Voice', variables });
  for (const role of ['core-agent', 'conversational-ai']) {
    const { id } = await client.sessions.create(projectId, { name: role });
    const isRecorded = async () => (await client.sessions.get(id)).recording.status === 'recording';
    await until(isRecorded);
    const ann = await joinSpeaking(client, id);
    const agent = await client.agents.start(id, { role });
    await client.agents.untilRunning(agent.id);
    const hearing = await ann.hear();
    await ann.untilListenedTo();
    await ann.speak(speech(1000));
    await expect.poll(() => hearing.loudMs).toBeGreaterThan(500);
    await ann.joined.say('Stop');
    const spoken = async () => {
      const { items } = await client.messages.list(id);
      return items.toReversed().filter((message) => message.role !== 'system');
    };
    await expect.poll(spoken).toHaveLength(4);
    const messages = await spoken();
    const [asked] = messages;
    const [cut, answer] = messages.filter((message) => message.role === 'assistant');
    expect(asked).toMatchObject({
      role: 'user',
      status: 'complete',
      // A machine that stalls breaks up what Ann says, and each piece is transcribed.
      content: expect.stringMatching(/^Good morning( Good morning)*$/),
      metadata: { kind: 'transcript', participant: { identity: ann.identity } },
    });
    expect(cut).toMatchObject({ role: 'assistant', status: 'complete' });
    expect(cut?.metadata).toMatchObject({ interrupted: true });
    expect(LONG.startsWith(cut?.content ?? '-')).toBe(true);
    expect(answer).toMatchObject({ role: 'assistant', status: 'complete', content: LONG });
    await client.agents.stop(agent.id);
    const ended = await until(async () => {
      const found = await client.agents.get(agent.id);
      return found.status === 'Stopped' && found;
    });
    expect(ended).toMatchObject({ reason: 'requested', exitCode: 0 });
  }
  const sent = new Set(endpoints.transcriptions.map(({ authorization }) => authorization));
  expect(sent).toEqual(new Set([undefined]));
});

async function joinSpeaking(client: Client, sessionId: string): Promise<VoiceUser> {
  const { serverUrl, participantToken: token } = await client.sessions.createToken(sessionId);
  const server = { url: serverUrl, apiKey: '', apiSecret: '' };
  const ann = await VoiceUser.join(server, sessionId, 'Ann', { token, queueMs: WHOLE_SPEECH_MS });
  onTestFinished(() => ann.leave());
  return ann;
}
