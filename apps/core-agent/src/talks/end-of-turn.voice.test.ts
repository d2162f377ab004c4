import { says, startScriptedModel } from '@session/conversation/testing';
import { WHOLE_SPEECH_MS } from '@session/media/testing';
import { speech, startSpeechEndpoints } from '@session/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { openTalkRoom } from '../../testing/voice-room.ts';

const HeardLine = z.object({ heard: z.object({ endOfTurnMs: z.number() }) });

// The end-of-turn model takes the tests' syllables for an unfinished sentence.
test('what does not sound finished is awaited for TURN_MAX_MS, and is one turn with what follows', async () => {
  await using model = await startScriptedModel(says('Good.'));
  await using endpoints = await startSpeechEndpoints();
  const times = { TURN_MIN_MS: '100', TURN_MAX_MS: '10000' };
  const whole = { queueMs: WHOLE_SPEECH_MS };
  const { ann, agent, texts } = await openTalkRoom(model, endpoints, times, whole);
  await ann.speak(speech(1000));
  await expect.poll(() => endpoints.transcriptions).toHaveLength(1);
  await ann.speak(speech(1000));
  await expect.poll(texts).toHaveLength(2);
  expect(texts()[0]?.text).toBe('Utterance 1 Utterance 2');
  expect(endOfTurnMs(agent.output())).toBeGreaterThanOrEqual(9990);
});

function endOfTurnMs(log: string): number {
  const line = log.split('\n').find((one) => one.startsWith('{"heard"')) ?? '{}';
  return HeardLine.parse(JSON.parse(line)).heard.endOfTurnMs;
}
