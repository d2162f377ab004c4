import { says, startScriptedModel } from '@session/conversation/testing';
import { speech, startSpeechEndpoints } from '@session/testing';
import { expect, test } from 'vitest';
import { openVoiceRoom } from '../../testing/voice-room.ts';

test('what a person says is written as theirs, answered once, and the answer is heard and written', async () => {
  await using model = await startScriptedModel(says('Good morning to you. ', 'How are you?'));
  // A busy process lets the microphone pause in the middle of the sentence. Then its parts are transcribed one by one.
  await using endpoints = await startSpeechEndpoints({
    transcribe: ({ index }) => (index === 0 ? 'Good morning' : ''),
  });
  // Longer than a pause of the microphone.
  const times = { TURN_MIN_MS: '3000', TURN_MAX_MS: '3000' };
  const { ann, hearing, texts } = await openVoiceRoom(model, endpoints, times);
  await ann.speak(speech(1500));
  await expect.poll(texts).toHaveLength(2);
  expect(texts()).toEqual([
    { by: 'Ann', text: 'Good morning', interrupted: false },
    { by: 'core-agent', text: 'Good morning to you. How are you?', interrupted: false },
  ]);
  await expect.poll(() => hearing.tones).toEqual([400, 500]);
  expect(endpoints.speeches.map(({ text }) => text)).toEqual([
    'Good morning to you.',
    'How are you?',
  ]);
  const audioMs = endpoints.transcriptions.reduce((sum, call) => sum + call.audioMs, 0);
  expect(audioMs).toBeGreaterThan(1500);
  const [turn] = ann.events.flatMap((event) => {
    const figures = event.type === 'text_stream' ? event.attributes['session.turn'] : undefined;
    return figures === undefined ? [] : [JSON.parse(figures)];
  });
  // The silence that ends a turn, and the sound of two sentences.
  expect(turn).toMatchObject({ model: 'scripted', modelCalls: 1 });
  expect(turn.endOfTurnMs).toBeGreaterThanOrEqual(3000);
  expect(turn.durationMs).toBeGreaterThan(turn.firstWordsMs);
});
