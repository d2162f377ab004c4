import { expect, test } from 'vitest';
import { durationMs, silence, tone } from './pcm.ts';
import {
  cutSpeech,
  failSpeech,
  type SpeechEndpoints,
  sendSlowly,
  stallSpeech,
  startSpeechEndpoints,
  toneOf,
} from './speech-endpoints.ts';
import { fromWav, toBytes, toWav } from './wav.ts';

test('answers each utterance with its words, and keeps what the client sent', async () => {
  const words = ['Good morning', 'Tuesday'];
  const transcribe = ({ index }: { index: number }) => words[index] ?? '';
  await using endpoints = await startSpeechEndpoints({ transcribe });
  expect(await transcribed(endpoints, 900)).toEqual({ text: 'Good morning' });
  expect(await transcribed(endpoints, 300)).toEqual({ text: 'Tuesday' });
  expect(endpoints.transcriptions).toMatchObject([
    { audioMs: 900, model: 'whisper-1', authorization: 'Bearer key', fields: { language: 'en' } },
    { audioMs: 300 },
  ]);
});

test('the sound of a text grows with the text, as PCM or as a WAV file', async () => {
  await using endpoints = await startSpeechEndpoints();
  const short = await spoken(endpoints, 'Hello there.', 'pcm');
  const long = await spoken(endpoints, 'Hello there, this is longer.', 'wav');
  const asPcm = Buffer.from(await short.arrayBuffer());
  expect(asPcm).toEqual(toBytes(toneOf({ text: 'Hello there.', index: 0 })));
  expect(durationMs(fromWav(await long.bytes()))).toBe(28 * 50);
  expect(endpoints.speeches).toMatchObject([{ text: 'Hello there.', voice: 'alloy' }, {}]);
});

test('fails, stalls, cuts and answers slowly where the script says so', async () => {
  await using endpoints = await startSpeechEndpoints({ transcribe: () => failSpeech(401) });
  await expect(transcribed(endpoints, 100)).rejects.toThrow('401');
  endpoints.script.speak = () => failSpeech(429, { 'retry-after': '7' });
  const busy = await spoken(endpoints, 'One.', 'pcm');
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '7']);
  endpoints.script.speak = () => cutSpeech(tone(440, 500));
  await expect(spoken(endpoints, 'Two.', 'pcm').then((answer) => answer.bytes())).rejects.toThrow(
    'terminated',
  );
  endpoints.script.speak = () => sendSlowly(tone(440, 500), 4, 10);
  const slow = await spoken(endpoints, 'Three.', 'pcm');
  expect(Buffer.from(await slow.arrayBuffer())).toEqual(toBytes(tone(440, 500)));
  endpoints.script.speak = stallSpeech;
  const gone = new AbortController();
  const stalled = spoken(endpoints, 'Four.', 'pcm', gone.signal);
  await expect.poll(() => endpoints.speeches.at(-1)?.text).toBe('Four.');
  gone.abort();
  await expect(stalled).rejects.toThrow('aborted');
  await expect.poll(() => endpoints.speeches.at(-1)?.closed.aborted).toBe(true);
});

async function transcribed({ baseUrl }: SpeechEndpoints, ms: number): Promise<unknown> {
  const body = new FormData();
  body.set('file', new File([new Uint8Array(toWav(silence(ms)))], 'audio.wav'));
  body.set('model', 'whisper-1');
  body.set('language', 'en');
  const headers = { authorization: 'Bearer key' };
  const answer = await fetch(`${baseUrl}/audio/transcriptions`, { method: 'POST', body, headers });
  if (!answer.ok) throw new Error(String(answer.status));
  return await answer.json();
}

async function spoken(
  { baseUrl }: SpeechEndpoints,
  input: string,
  format: string,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const body = JSON.stringify({ model: 'tts-1', voice: 'alloy', input, response_format: format });
  return await fetch(`${baseUrl}/audio/speech`, { method: 'POST', body, signal });
}
