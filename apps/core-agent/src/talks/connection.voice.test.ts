import { says, startScriptedModel } from '@session/conversation/testing';
import { VoiceUser, WHOLE_SPEECH_MS } from '@session/media/testing';
import { speech, startMediaServer, startSpeechEndpoints } from '@session/testing';
import { expect, test } from 'vitest';
import { openVoiceRoom, textsOf } from '../../testing/voice-room.ts';

const LONG = 'This is the first sentence of a long answer. And this is the second sentence of it.';

test('after a restart of the media server in the middle of an answer, the agent hears and speaks in its new room', async () => {
  await using server = await startMediaServer();
  await using model = await startScriptedModel(says(LONG), says('Here I am.'));
  await using endpoints = await startSpeechEndpoints({ transcribe: () => 'Are you there?' });
  const { room, ann, agent, hearing } = await openVoiceRoom(model, endpoints, {}, { server });
  await ann.joined.say('Tell me more');
  await expect.poll(() => hearing.loudMs).toBeGreaterThan(1000);
  // The agent joins again after Ben has.
  agent.child.kill('SIGSTOP');
  await server.kill();
  // Ann leaves, because she would otherwise rejoin as well. When she left again, the agent would publish a new track,
  // to which Ben does not subscribe.
  await ann.leave();
  await server.start();
  await using ben = await VoiceUser.join(server, room, 'Ben', { queueMs: WHOLE_SPEECH_MS });
  agent.child.kill('SIGCONT');
  await using answers = await ben.hear();
  await expect.poll(() => textsOf(ben)).toHaveLength(1);
  expect(LONG.startsWith(textsOf(ben)[0]?.text ?? '-')).toBe(true);
  await ben.untilListenedTo();
  await ben.speak(speech(1000));
  await expect.poll(() => textsOf(ben)).toHaveLength(3);
  expect(textsOf(ben).slice(1)).toEqual([
    { by: 'Ben', text: 'Are you there?', interrupted: false },
    { by: 'core-agent', text: 'Here I am.', interrupted: false },
  ]);
  await expect.poll(() => answers.tones).toContain(600);
});
