import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { says, startScriptedModel } from '@session/conversation/testing';
import {
  failSpeech,
  type SpeechFault,
  speech,
  stallSpeech,
  startSpeechEndpoints,
} from '@session/testing';
import { expect, test } from 'vitest';
import { openTalkRoom, openVoiceRoom } from '../../testing/voice-room.ts';

test('an endpoint that cannot speak: the answer is written whole, and the room learns once that the voice is lost', async () => {
  await using model = await startScriptedModel(says('Good morning. ', 'How are you?'));
  await using endpoints = await startSpeechEndpoints({ speak: () => failSpeech(500) });
  const { ann, texts, packets, hearing } = await openVoiceRoom(model, endpoints);
  for (const count of [1, 2]) {
    await ann.joined.say('Hello');
    await expect.poll(texts).toHaveLength(count);
  }
  const answer = { by: 'core-agent', text: 'Good morning. How are you?', interrupted: false };
  expect(texts()).toEqual([answer, answer]);
  expect(hearing.loudMs).toBe(0);
  expect(packets().filter(isDegraded)).toEqual([
    expect.objectContaining({ state: 'degraded', reason: 'voice_lost' }),
  ]);
});

test.each([
  { status: 401, code: null, message: 'I cannot hear at the moment: please write to me.' },
  {
    // The local speech server's answer to a LANGUAGE other than English.
    status: 400,
    code: 'language',
    message:
      'My speech server does not know the language of this conversation: please write to me.',
  },
])(
  'an endpoint that cannot hear ($status): the room learns once why, and typed texts are answered',
  async ({ status, code, message }) => {
    await using model = await startScriptedModel(says('Good morning.'));
    const body = JSON.stringify({ error: { message: 'A planted message', code } });
    const fails: SpeechFault = (response) => void response.writeHead(status).end(body);
    await using endpoints = await startSpeechEndpoints({ transcribe: () => fails });
    const { ann, texts, packets, agent } = await openVoiceRoom(model, endpoints);
    await ann.speak(speech(800));
    await expect.poll(() => packets().filter(isDegraded)).toHaveLength(1);
    expect(packets().filter(isDegraded)).toEqual([
      expect.objectContaining({ state: 'degraded', reason: 'hearing_lost', message }),
    ]);
    await ann.joined.say('Hello');
    await expect.poll(texts).toHaveLength(1);
    // Only our own words, because the endpoint's answer may quote the key.
    await expect.poll(agent.output).toContain(`hearing_lost: HTTP ${status}`);
    expect(agent.output()).not.toContain('planted message');
  },
);

test('a template that asks for the local speech server where there is none: one notification, and the agent writes', async () => {
  await using model = await startScriptedModel(says('Good morning.'));
  await using endpoints = await startSpeechEndpoints();
  const local = { STT_PROVIDER: 'local', TTS_PROVIDER: 'local' };
  const { ann, texts, packets } = await openTalkRoom(model, endpoints, local);
  await ann.joined.say('Hello');
  await expect.poll(texts).toHaveLength(1);
  expect(packets().filter(isDegraded)).toEqual([
    expect.objectContaining({ state: 'degraded', reason: 'no_speech_server' }),
  ]);
});

test('SIGTERM ends the agent within 5 s while it speaks', async () => {
  await using model = await startScriptedModel(says('A long answer. '.repeat(20)));
  await using endpoints = await startSpeechEndpoints();
  const { ann, agent, hearing } = await openVoiceRoom(model, endpoints);
  await ann.joined.say('Hello');
  await expect.poll(() => hearing.tones).toContain(400);
  expect(await endTime(agent)).toBeLessThan(5000);
});

test('SIGTERM ends the agent within 5 s while both endpoints stall, in the middle of a turn', async () => {
  await using model = await startScriptedModel(says('A long answer.'));
  const stalled = { speak: stallSpeech, transcribe: stallSpeech };
  await using endpoints = await startSpeechEndpoints(stalled);
  // With these times, the person's turn does not end during the test either.
  const slow = { TURN_MIN_MS: '60000', TURN_MAX_MS: '60000' };
  const { ann, agent } = await openVoiceRoom(model, endpoints, slow);
  await ann.joined.say('Hello');
  await expect.poll(() => endpoints.speeches).toHaveLength(1);
  await ann.speak(speech(800));
  await expect.poll(() => endpoints.transcriptions).toHaveLength(1);
  expect(await endTime(agent)).toBeLessThan(5000);
});

/** Returns how long the agent takes to end with code 0, in milliseconds. */
async function endTime({ child }: { readonly child: ChildProcess }): Promise<number> {
  const began = performance.now();
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
  return performance.now() - began;
}

function isDegraded(event: unknown): boolean {
  return typeof event === 'object' && event !== null && Reflect.get(event, 'state') === 'degraded';
}
