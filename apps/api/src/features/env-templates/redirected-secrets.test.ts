import { expect } from 'vitest';
import { envTemplateTest as test } from '../../../testing/env-templates.ts';

const EVIL = 'https://evil.example/v1';
const GATEWAY = 'https://gateway.example/v1';
const SECRET = 'sk-hunter2';

type Variables = Readonly<Record<string, string | null>>;

test.for<[secrets: string, held: Variables, change: Variables]>([
  ['LLM_API_KEY', {}, { LLM_BASE_URL: EVIL }],
  ['LLM_API_KEY', { LLM_BASE_URL: GATEWAY }, { LLM_BASE_URL: EVIL }],
  ['LLM_API_KEY', { LLM_BASE_URL: GATEWAY }, { LLM_BASE_URL: null }],
  ['LLM_API_KEY', { LLM_BASE_URL: GATEWAY }, { LLM_BASE_URL: '' }],
  ['LLM_API_KEY', { LLM_BASE_URL: GATEWAY }, { LLM_BASE_URL: 'http://gateway.example/v1' }],
  ['LLM_API_KEY', { LLM_BASE_URL: GATEWAY }, { LLM_BASE_URL: 'https://gateway.example:8443' }],
  ['LLM_API_KEY', { LLM_BASE_URL: 'no address' }, { LLM_BASE_URL: EVIL }],
  ['LLM_API_KEY', {}, { LLM_BASE_URL: EVIL, LLM_FALLBACK_API_KEY: 'mine' }],
  ['LLM_API_KEY, LLM_EXTRA_BODY', { LLM_EXTRA_BODY: '{"key":"x"}' }, { LLM_BASE_URL: EVIL }],
  ['LLM_EXTRA_BODY', { LLM_EXTRA_BODY: '{}' }, { LLM_BASE_URL: EVIL, LLM_API_KEY: 'mine' }],
  ['LLM_FALLBACK_API_KEY', { LLM_FALLBACK_API_KEY: SECRET }, { LLM_FALLBACK_BASE_URL: EVIL }],
  ['STT_API_KEY', { STT_API_KEY: SECRET }, { STT_BASE_URL: EVIL }],
  ['TTS_API_KEY', { TTS_API_KEY: SECRET, TTS_BASE_URL: GATEWAY }, { TTS_BASE_URL: null }],
  [
    'STT_API_KEY, TTS_API_KEY',
    { STT_API_KEY: SECRET, TTS_API_KEY: SECRET },
    { LLM_BASE_URL: EVIL, LLM_API_KEY: 'mine' },
  ],
])(
  '400 for an address that would send %s elsewhere: %j, changed by %j',
  async ([secrets, held, change], { templates }) => {
    const variables = { LLM_API_KEY: SECRET, ...held };
    const { id } = (await templates.create({ name: 'keys', variables })).json();
    const answer = await templates.change(id, { variables: change });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      { code: 'invalid_request', detail: expect.stringContaining(` ${secrets} `) },
    ]);
    expect(answer.body).not.toContain('hunter2');
    expect(await templates.open(id)).toEqual(variables);
  },
);

test.for<[held: Variables, change: Variables]>([
  [{}, { LLM_BASE_URL: EVIL, LLM_API_KEY: 'mine' }],
  [{ LLM_BASE_URL: GATEWAY }, { LLM_BASE_URL: 'https://gateway.example/openai/v1' }],
  [{}, { LLM_BASE_URL: 'https://api.openai.com/v1' }],
  [{ LLM_BASE_URL: GATEWAY }, { STT_BASE_URL: GATEWAY, LLM_MODEL: 'small' }],
  [{ LLM_API_KEY: 'local', LLM_BASE_URL: 'http://127.0.0.1:11434/v1' }, { LLM_BASE_URL: GATEWAY }],
  [{ LLM_API_KEY: 'rehearsal' }, { LLM_BASE_URL: GATEWAY }],
  [{}, { LLM_FALLBACK_BASE_URL: GATEWAY, LLM_FALLBACK_API_KEY: 'mine' }],
  // The key of the model goes to its own host only.
  [{}, { STT_BASE_URL: EVIL, TTS_BASE_URL: EVIL }],
  [{ STT_API_KEY: SECRET }, { STT_BASE_URL: EVIL, STT_API_KEY: null }],
  [{ LLM_EXTRA_BODY: '{}' }, { LLM_BASE_URL: EVIL, LLM_API_KEY: 'mine', LLM_EXTRA_BODY: null }],
])(
  '200 for an address that sends no stored key elsewhere: %j, changed by %j',
  async ([held, change], { templates }) => {
    const variables = { LLM_API_KEY: SECRET, ...held };
    const { id } = (await templates.create({ name: 'keys', variables })).json();
    expect((await templates.change(id, { variables: change })).statusCode).toBe(200);
    const merged = Object.entries({ ...variables, ...change });
    expect(await templates.open(id)).toEqual(
      Object.fromEntries(merged.filter(([, value]) => value !== null)),
    );
  },
);
