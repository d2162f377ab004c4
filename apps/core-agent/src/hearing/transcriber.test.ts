import type { ServerResponse } from 'node:http';
import { openEndpointFetch } from '@session/conversation';
import {
  failSpeech,
  type SpeechFault,
  speech,
  stallSpeech,
  startSpeechEndpoints,
} from '@session/testing';
import { expect, test } from 'vitest';
import { Transcriber } from './transcriber.ts';

const NEVER = new AbortController().signal;

test.each([
  [' Good  morning. ', 'Good morning.'],
  ['[BLANK_AUDIO]', ''],
  ['(coughs) *sighs* …', ''],
  ['[music] Yes (laughs)', 'Yes'],
  ['Call (555) 123-4567.', 'Call (555) 123-4567.'],
  ['2 * 3 * 4 (laughs)', '2 * 3 * 4'],
  ['[00:00.000] Yes', 'Yes'],
  ['', ''],
])('of the transcription “%s” the words are “%s”', async (answer, words) => {
  expect(await transcribe(() => answer)).toBe(words);
});

test('the sound goes to the endpoint as a WAV file, with model, language and key', async () => {
  await using endpoints = await startSpeechEndpoints();
  using client = openEndpointFetch({ variable: 'STT_BASE_URL', proxies: {} });
  const endpoint = { baseUrl: endpoints.baseUrl, apiKey: 'sk-1', model: 'large' };
  const transcriber = new Transcriber({ endpoint, fetch: client.fetch, language: 'en-GB' });
  const { samples } = speech(500);
  expect(await transcriber.transcribe(samples, NEVER)).toBe('Utterance 1');
  const [call] = endpoints.transcriptions;
  expect(call).toMatchObject({
    authorization: 'Bearer sk-1',
    fields: { model: 'large', language: 'en', response_format: 'json' },
  });
  expect(call?.audio).toEqual({ samples, rate: 16_000 });
});

test.each<[string, SpeechFault, string]>([
  ['refuses the key', failSpeech(401), 'HTTP 401'],
  ['redirects to another host', redirect('http://other.invalid/v1'), 'redirects to another host'],
  ['answers no transcription', answers('{"words": []}'), 'the answer is not a transcription'],
  ['answers without end', answers(`{"text": "${'a'.repeat(300_000)}"}`), 'the answer is too long'],
  ['cuts the connection', (response) => void response.destroy(), 'no connection'],
])('an endpoint that %s fails in our own words', async (_, fault, message) => {
  await expect(transcribe(() => fault)).rejects.toThrow(message);
});

test('a request that is given up throws its reason', async () => {
  const reason = new Error('enough');
  await expect(transcribe(stallSpeech, AbortSignal.abort(reason))).rejects.toBe(reason);
});

async function transcribe(
  answer: () => string | SpeechFault,
  signal: AbortSignal = NEVER,
): Promise<string> {
  await using endpoints = await startSpeechEndpoints({ transcribe: answer });
  using client = openEndpointFetch({ variable: 'STT_BASE_URL', proxies: {} });
  const endpoint = { baseUrl: endpoints.baseUrl, apiKey: 'sk-1', model: 'large' };
  const transcriber = new Transcriber({ endpoint, fetch: client.fetch, language: 'en' });
  return await transcriber.transcribe(new Int16Array(160), signal);
}

function redirect(location: string): SpeechFault {
  return (response) => void response.writeHead(307, { location }).end();
}

function answers(body: string): SpeechFault {
  return (response: ServerResponse) => void response.end(body);
}
