import { says, startScriptedModel } from '@session/conversation/testing';
import { VoiceUser, WHOLE_SPEECH_MS } from '@session/media/testing';
import { failSpeech, speech, startSpeechEndpoints, testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import {
  openTalkRoom,
  openVoiceRoom,
  startCoreAgent,
  textsOf,
  variablesOf,
} from '../../testing/voice-room.ts';

const whole = { queueMs: WHOLE_SPEECH_MS };

test('two people are heard at the same time, told apart in the prompt, and both answered', async () => {
  await using model = await startScriptedModel(says('Good morning.'));
  await using endpoints = await startSpeechEndpoints();
  const { room, ann, texts } = await openTalkRoom(model, endpoints);
  await using ben = await VoiceUser.join(testMedia(), room, 'Ben');
  await ben.untilListenedTo();
  await Promise.all([ann.speak(speech(1000)), ben.speak(speech(1000))]);
  const said = () => texts().filter(({ by }) => by !== 'core-agent');
  await expect.poll(said).toHaveLength(2);
  expect(
    said()
      .map(({ by }) => by)
      .toSorted(),
  ).toEqual(['Ann', 'Ben']);
  const prompt = () => JSON.stringify(model.requests.at(-1)?.body['messages']);
  for (const { by, text } of said()) await expect.poll(prompt).toContain(`${by}: ${text}`);
});

test('of two agents that hear, one writes what a person said, and one answers', async () => {
  await using model = await startScriptedModel(says('Good morning.'));
  await using endpoints = await startSpeechEndpoints({ transcribe: () => 'Hello' });
  const { room, ann, texts, agent } = await openTalkRoom(model, endpoints, {}, whole);
  const second = '01890a5d-ac96-774b-bcce-b30200000002';
  const other = await startCoreAgent(room, variablesOf(model, endpoints), { agentId: second });
  await other.ready;
  const said = ['Ann', 'Hello'];
  const answer = ['core-agent', 'Good morning.'];
  const turns: string[][] = [];
  // An agent that is ready may subscribe to the microphone only after the first words.
  while (![agent, other].every((one) => one.output().includes('"heard"'))) {
    await ann.speak(speech(700));
    turns.push(said, answer);
    await expect.poll(texts).toHaveLength(turns.length);
  }
  await ann.joined.say('Bye');
  await expect.poll(texts).toHaveLength(turns.length + 1);
  expect(texts().map(({ by, text }) => [by, text])).toEqual([...turns, answer]);
});

test('of two agents that hear, the second writes and answers what a person said while the first hears nothing', async () => {
  await using model = await startScriptedModel(says('Good morning.'));
  await using broken = await startSpeechEndpoints({ transcribe: () => failSpeech(500) });
  await using endpoints = await startSpeechEndpoints({ transcribe: () => 'Hello' });
  const { room, ann, texts, packets } = await openTalkRoom(model, broken);
  const second = '01890a5d-ac96-774b-bcce-b30200000002';
  const other = await startCoreAgent(room, variablesOf(model, endpoints), { agentId: second });
  await other.ready;
  await ann.speak(speech(700));
  await expect.poll(packets).toContainEqual(expect.objectContaining({ reason: 'hearing_lost' }));
  const shown = () =>
    ann.joined.participants.map(({ attributes }) => attributes['session.hearing']);
  await expect.poll(shown).toContain('false');
  await ann.speak(speech(700));
  const said = () => texts().filter(({ by }) => by === 'Ann');
  await expect.poll(said).not.toEqual([]);
  const answers = () => texts().filter(({ by }) => by === 'core-agent');
  await expect.poll(answers).not.toEqual([]);
});

test('an agent that a person talks over to address another one falls silent, and the other one answers', async () => {
  await using model = await startScriptedModel(says('One two three. '.repeat(20)), says('Yes?'));
  const words = 'Conversational AI, hello';
  await using endpoints = await startSpeechEndpoints({ transcribe: () => words });
  const { room, ann, texts, hearing } = await openVoiceRoom(model, endpoints, {}, whole);
  const role = 'conversational-ai';
  await (await startCoreAgent(room, variablesOf(model, endpoints), { role })).ready;
  await ann.joined.say('Core agent, count');
  await expect.poll(() => hearing.loudMs).toBeGreaterThan(500);
  await ann.speak(speech(1000));
  await expect.poll(texts).toHaveLength(3);
  expect(texts()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ by: 'core-agent', interrupted: true }),
      { by: 'Ann', text: words, interrupted: false },
      { by: role, text: 'Yes?', interrupted: false },
    ]),
  );
});

test('what a person said before they left in mid-sentence is written and answered', async () => {
  await using model = await startScriptedModel(says('Good morning.'));
  await using endpoints = await startSpeechEndpoints();
  const { room, ann, packets } = await openTalkRoom(model, endpoints, {}, whole);
  await using ben = await VoiceUser.join(testMedia(), room, 'Ben');
  await expect.poll(packets).not.toEqual([]);
  await ann.speak(speech(1500));
  await ann.leave();
  await expect.poll(() => textsOf(ben)).toHaveLength(2);
  expect(textsOf(ben).map(({ text }) => text)).toEqual(['Utterance 1', 'Good morning.']);
});
