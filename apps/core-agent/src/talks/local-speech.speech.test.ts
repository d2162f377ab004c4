import { says, startScriptedModel } from '@session/conversation/testing';
import {
  speechServerUrl,
  startSpeechEndpoints,
  synthesizeSpeech,
  transcribeSpeech,
  wordsWrong,
} from '@session/testing';
import { expect, test } from 'vitest';
import { openVoiceRoom } from '../../testing/voice-room.ts';

const AGENT_SPEECH_URL = speechServerUrl();
const QUESTION = 'Can we move the meeting to next Tuesday at seven?';
const ANSWER = 'The meeting is now on Tuesday at seven.';

test.skipIf(AGENT_SPEECH_URL === '')(
  'with the local speech server a spoken question is written and answered, and the answer’s words are heard',
  async () => {
    await using model = await startScriptedModel(says(ANSWER));
    await using unused = await startSpeechEndpoints();
    const local = { STT_PROVIDER: 'local', TTS_PROVIDER: 'local', AGENT_SPEECH_URL };
    const { ann, hearing, texts } = await openVoiceRoom(model, unused, local);
    const { endedAt } = await ann.speak(await synthesizeSpeech(AGENT_SPEECH_URL, QUESTION));
    await expect.poll(texts).toHaveLength(2);
    await expect.poll(() => hearing.loudMs > 500 && hearing.isSilent).toBe(true);
    const [question, answer] = texts();
    expect(shareWrong(QUESTION, question?.text)).toBeLessThanOrEqual(0.1);
    expect(answer).toEqual({ by: 'core-agent', text: ANSWER, interrupted: false });
    const heard = { samples: hearing.samples, rate: 16_000 };
    const words = await transcribeSpeech(AGENT_SPEECH_URL, heard);
    expect(shareWrong(ANSWER, words)).toBeLessThanOrEqual(0.15);
    expect([unused.transcriptions, unused.speeches]).toEqual([[], []]);
    const firstSoundMs = (hearing.sounds[0]?.startedAt ?? 0) - endedAt;
    process.stderr.write(`End of speech to first sound: ${firstSoundMs.toFixed(0)} ms\n`);
  },
);

function shareWrong(said: string, heard = ''): number {
  const { wrong, words } = wordsWrong(said, heard);
  return wrong / words;
}
