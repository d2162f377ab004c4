import { calls, says, startScriptedModel } from '@session/conversation/testing';
import { joinAsRecorder, packetsIn, VoiceUser } from '@session/media/testing';
import { startSpeechEndpoints, testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { openTalkRoom, openVoiceRoom } from '../../testing/voice-room.ts';

test('a reader without audio gets the whole text, and no sound is made', async () => {
  await using model = await startScriptedModel(says('Good morning to you. ', 'How are you?'));
  await using endpoints = await startSpeechEndpoints();
  const { ann, texts } = await openTalkRoom(model, endpoints);
  for (const count of [1, 2]) {
    await ann.joined.say('Hello');
    await expect.poll(texts).toHaveLength(count);
  }
  expect(texts()[1]?.text).toBe('Good morning to you. How are you?');
  expect(endpoints.speeches).toEqual([]);
});

test('a listener hears no markdown, no code and no address of a link; the text keeps them', async () => {
  const written =
    '# Your **choices**\n\nSee [our page](https://example.org/a?b=c). 🎉 Then:\n```js\nrun();\n```\nDo it!';
  await using model = await startScriptedModel(says(`<think>Hm.</think>${written}`));
  await using endpoints = await startSpeechEndpoints();
  const { ann, texts } = await openVoiceRoom(model, endpoints);
  await ann.joined.say('Hello');
  await expect.poll(texts).toHaveLength(1);
  expect(texts()[0]?.text.trim()).toBe(written);
  const spoken = endpoints.speeches.map(({ text }) => text).join(' ');
  expect(spoken).toContain('Your choices');
  expect(spoken).toContain('See our page.');
  expect(spoken).toContain('Do it!');
  expect(spoken).not.toMatch(/[*#`🎉[\]]|https|run|Hm/u);
});

test('a person who is in the room before the agent hears its greeting, though they listen only now', async () => {
  await using model = await startScriptedModel(says('Hello.'));
  await using endpoints = await startSpeechEndpoints();
  const greeting = { GREETING: 'Good morning to you.' };
  const { hearing, texts } = await openVoiceRoom(model, endpoints, greeting);
  await expect.poll(texts).toHaveLength(1);
  await expect.poll(() => hearing.tones).toContain(400);
});

test('when the listener has left, a reader who stays gets the text at once', async () => {
  await using model = await startScriptedModel(says('Good morning to you. ', 'How are you?'));
  await using endpoints = await startSpeechEndpoints();
  const { room, ann, hearing } = await openVoiceRoom(model, endpoints);
  await using ben = await VoiceUser.join(testMedia(), room, 'Ben');
  await ann.joined.say('Hello');
  await expect.poll(() => hearing.tones).toContain(500);
  await ann.leave();
  const streams = () => ben.events.filter(({ type }) => type === 'text_stream');
  await expect.poll(streams).toHaveLength(1);
  await ben.joined.say('Hello');
  await expect.poll(streams).toHaveLength(2);
  expect(endpoints.speeches).toHaveLength(2);
});

test('the goodbye to a person who hangs up in the middle of it is stored whole and unmarked, and the conversation ends', async () => {
  const goodbye = ['Goodbye to you, dear Ann. ', 'Have a good day!'];
  const end = calls(['end_conversation', { reason: 'all is said' }]);
  await using model = await startScriptedModel(end, says(...goodbye));
  await using endpoints = await startSpeechEndpoints();
  const AGENT_DEFINITION = JSON.stringify({ version: 1, tools: [], endConversation: true });
  const { room, ann, hearing } = await openVoiceRoom(model, endpoints, { AGENT_DEFINITION });
  await using recorder = await joinAsRecorder(testMedia(), room);
  await ann.joined.say('Bye');
  await expect.poll(() => hearing.tones).toContain(400);
  await ann.leave();
  const streams = () => recorder.events.filter((event) => event.type === 'text_stream');
  await expect.poll(streams).toHaveLength(1);
  const [stream] = streams();
  expect(stream).toMatchObject({ text: goodbye.join(''), hasEnded: true });
  for (const mark of ['session.interrupted', 'session.truncated']) {
    expect(stream?.attributes).not.toHaveProperty([mark]);
  }
  const kinds = () => packetsIn(recorder.events).map((packet) => Object(packet).type);
  await expect.poll(kinds).toContain('conversation_ended');
});
