import { openEndpointFetch } from '@session/conversation';
import {
  cutSpeech,
  failSpeech,
  type Pcm,
  type SpeechFault,
  sendSlowly,
  startSpeechEndpoints,
  tone,
  toWav,
} from '@session/testing';
import { expect, test } from 'vitest';
import { Synthesizer } from './synthesizer.ts';

const SOUND = tone(440, 200);

test.each<[string, Pcm | SpeechFault]>([
  ['at once', SOUND],
  ['in parts that end within a sample', sendSlowly(SOUND, 7, 5)],
])('a sound that comes %s is whole', async (_, speak) => {
  expect(await synthesize(speak)).toEqual([...SOUND.samples]);
});

test.each<[string, SpeechFault, string]>([
  ['fails', failSpeech(429), 'HTTP 429'],
  ['sends nothing', (response) => void response.end(), 'the answer is empty'],
  ['sends a WAV file', (response) => void response.end(toWav(SOUND)), 'not the format pcm'],
  ['cuts the connection', cutSpeech(SOUND), 'no connection'],
])('an endpoint that %s fails in our own words', async (_, fault, message) => {
  await expect(synthesize(fault)).rejects.toThrow(message);
});

async function synthesize(speak: Pcm | SpeechFault): Promise<number[]> {
  await using endpoints = await startSpeechEndpoints({ speak: () => speak });
  using client = openEndpointFetch({ variable: 'TTS_BASE_URL', proxies: {} });
  const endpoint = { baseUrl: endpoints.baseUrl, apiKey: 'sk-1', model: 'm', voice: 'v' };
  const synthesizer = new Synthesizer(endpoint, client.fetch);
  const samples: number[] = [];
  for await (const part of synthesizer.synthesize('Hello.', new AbortController().signal)) {
    samples.push(...part);
  }
  return samples;
}
