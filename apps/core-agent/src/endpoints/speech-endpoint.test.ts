import { loadSettings } from '@session/conversation';
import { expect, test } from 'vitest';
import { hearingEndpoint, speakingEndpoint } from './speech-endpoint.ts';

const LOCAL = 'http://127.0.0.1:8090/v1/';

test.each<[string, NodeJS.ProcessEnv, unknown]>([
  [
    'a key of OpenAI alone',
    { LLM_API_KEY: 'sk-1' },
    { baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-1', model: 'gpt-4o-mini-transcribe' },
  ],
  [
    'an endpoint of its own without a key: the model’s key goes to no other host',
    { LLM_API_KEY: 'sk-1', STT_BASE_URL: 'https://stt.example/v1/', STT_MODEL: 'large' },
    { baseUrl: 'https://stt.example/v1', apiKey: undefined, model: 'large' },
  ],
  [
    'the local speech server, which gets no key',
    { LLM_API_KEY: 'sk-1', STT_PROVIDER: 'local', STT_API_KEY: 'sk-2' },
    { baseUrl: 'http://127.0.0.1:8090/v1', apiKey: undefined, model: 'whisper-1' },
  ],
  ['the rehearsal model alone', { LLM_API_KEY: 'rehearsal' }, 'none'],
])('%s', (_, env, expected) => {
  expect(hearingEndpoint(loadSettings(env).speechToText, LOCAL)).toEqual(expected);
});

test('the local speech server is missing where the platform runs none', () => {
  const { speech } = loadSettings({ LLM_API_KEY: 'rehearsal', TTS_PROVIDER: 'local' });
  expect(speakingEndpoint(speech, undefined)).toBe('missing');
  expect(speakingEndpoint(speech, LOCAL)).toMatchObject({ voice: 'alloy' });
});
