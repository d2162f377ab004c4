import { StartError } from '@session/kit';
import { describe, expect, test } from 'vitest';
import { checkTemplate, loadSettings, TEMPLATE_VARIABLES } from './index.ts';

const KEY = 'sk-planted-secret';

function faultsOf(variables: Record<string, string>) {
  return checkTemplate({ LLM_API_KEY: KEY, ...variables });
}

function settingsOf(variables: Record<string, string>) {
  return loadSettings({ LLM_API_KEY: KEY, ...variables });
}

test('LLM_API_KEY alone is enough: all else has a default', () => {
  expect(settingsOf({})).toEqual({
    model: {
      prefix: 'LLM',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: KEY,
      model: expect.any(String),
      temperature: undefined,
      maxOutputTokens: 800,
      contextTokens: 8192,
      firstTokenMs: 15_000,
      idleMs: 8000,
      turnMs: 60_000,
      extraBody: {},
      budgetTokens: undefined,
      fallback: undefined,
      proxies: {},
    },
    persona: {
      instructions: undefined,
      greeting: undefined,
      failureMessage: undefined,
      language: 'en',
      timeZone: 'UTC',
    },
    limits: { nudgeAfterMs: 20_000, leaveAfterMs: 1_800_000, maxTalkMs: undefined },
    speechToText: {
      provider: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: KEY,
      model: undefined,
    },
    speech: {
      provider: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: KEY,
      model: undefined,
      voice: undefined,
    },
    turns: { minMs: 500, maxMs: 3000, interruptMinMs: 500 },
  });
});

test('an empty value counts as not set, and variables of others are ignored', () => {
  expect(settingsOf({ LLM_MODEL: '', TIME_ZONE: '', MY_OWN: 'x' })).toEqual(settingsOf({}));
  expect(checkTemplate({ LLM_API_KEY: '' })).toEqual([
    { variable: 'LLM_API_KEY', message: 'LLM_API_KEY is not set: a value is needed' },
  ]);
});

describe('a value is accepted', () => {
  test.each([
    [{ LLM_BASE_URL: 'http://127.0.0.1:11434/v1/' }, 'http://127.0.0.1:11434/v1'],
    [{ LLM_BASE_URL: 'http://[::1]:8080' }, 'http://[::1]:8080'],
    [{ LLM_BASE_URL: 'HTTPS://Example.org/v1' }, 'HTTPS://Example.org/v1'],
  ])('%j', (variables, baseUrl) => {
    expect(settingsOf(variables).model.baseUrl).toBe(baseUrl);
  });

  test('a fraction of minutes, a language with a region, a zone with a slash', () => {
    const { limits, persona } = settingsOf({
      LEAVE_AFTER_MINUTES: '0.05',
      MAX_TALK_MINUTES: '1.5',
      LANGUAGE: 'de-CH',
      TIME_ZONE: 'America/Argentina/Ushuaia',
      GREETING: ' off ',
    });
    expect(limits).toMatchObject({ leaveAfterMs: 3000, maxTalkMs: 90_000 });
    expect(persona).toMatchObject({ language: 'de-CH', greeting: 'off' });
  });

  test('JSON for the request, which can set an option of one provider', () => {
    const LLM_EXTRA_BODY = '{"reasoning_effort":"low","provider":{"order":["a"]}}';
    expect(settingsOf({ LLM_EXTRA_BODY }).model.extraBody).toEqual(JSON.parse(LLM_EXTRA_BODY));
  });

  test('another address than OpenAI’s has no model by default', () => {
    expect(settingsOf({ LLM_BASE_URL: 'http://127.0.0.1/v1' }).model.model).toBeUndefined();
  });
});

describe('a fault names variable and rule, and never the value', () => {
  test.each([
    ['LLM_API_KEY', 'two words', 'visible ASCII characters without spaces, at most 4096'],
    ['LLM_API_KEY', 'x\r\nhost: evil', 'visible ASCII characters without spaces, at most 4096'],
    ['LLM_BASE_URL', 'there', 'an http:// or https:// URL'],
    ['LLM_BASE_URL', 'ftp://example.org', 'an http:// or https:// URL'],
    [
      'LLM_BASE_URL',
      'https://user:planted@example.org/v1',
      'a URL without a user name, password, query and fragment',
    ],
    [
      'LLM_BASE_URL',
      'https://example.org/v1?planted=1',
      'a URL without a user name, password, query and fragment',
    ],
    [
      'LLM_BASE_URL',
      'https://example.org/v1#planted',
      'a URL without a user name, password, query and fragment',
    ],
    ['LLM_BASE_URL', 'http://169.254.169.254/v1', 'an address that is not link-local'],
    ['LLM_BASE_URL', 'http://2852039166/v1', 'an address that is not link-local'],
    ['LLM_BASE_URL', 'http://0xa9.254.1', 'an address that is not link-local'],
    ['LLM_BASE_URL', 'http://169.254.169.254./v1', 'an address that is not link-local'],
    ['LLM_BASE_URL', 'http://[fe80::1]/v1', 'an address that is not link-local'],
    ['LLM_BASE_URL', 'http://[::ffff:169.254.169.254]/v1', 'an address that is not link-local'],
    ['LLM_BASE_URL', 'http://[::ffff:a9fe:a9fe]/v1', 'an address that is not link-local'],
    ['LLM_BASE_URL', 'http://[64:ff9b::a9fe:a9fe]/v1', 'an address that is not link-local'],
    ['LLM_BASE_URL', 'http://[fd00:ec2::254]/v1', 'an address that is not link-local'],
    ['STT_BASE_URL', 'http://169.254.0.1', 'an address that is not link-local'],
    ['TTS_BASE_URL', 'http://169.254.255.255', 'an address that is not link-local'],
    ['LLM_TEMPERATURE', '2.1', 'a number from 0 to 2'],
    ['LLM_TEMPERATURE', '-1', 'a number from 0 to 2'],
    ['LLM_TEMPERATURE', '1e0', 'a number from 0 to 2'],
    ['LLM_TURN_MS', '-1', 'a whole number from 100 to 3600000'],
    ['LLM_TURN_MS', '1.5', 'a whole number from 100 to 3600000'],
    ['LLM_IDLE_MS', '99', 'a whole number from 100 to 600000'],
    ['LLM_FIRST_TOKEN_MS', 'soon', 'a whole number from 100 to 600000'],
    ['LLM_MAX_OUTPUT_TOKENS', '15', 'a whole number from 16 to 100000'],
    ['LLM_CONTEXT_TOKENS', '1023', 'a whole number from 1024 to 10000000'],
    ['LLM_BUDGET_TOKENS', '0', 'a whole number from 1 to 1000000000'],
    [
      'LLM_EXTRA_BODY',
      '{planted',
      'a JSON object without messages, model, stream, tools, tool_choice, response_format, n',
    ],
    [
      'LLM_EXTRA_BODY',
      '["planted"]',
      'a JSON object without messages, model, stream, tools, tool_choice, response_format, n',
    ],
    [
      'LLM_EXTRA_BODY',
      '{"messages":["planted"]}',
      'a JSON object without messages, model, stream, tools, tool_choice, response_format, n',
    ],
    ['LANGUAGE', 'english, please', 'a language tag such as en or de-CH'],
    ['TIME_ZONE', 'Mars/Olympus', 'a time zone such as Europe/Berlin'],
    ['NUDGE_AFTER_MS', '999', 'a whole number from 1000 to 86400000'],
    ['LEAVE_AFTER_MINUTES', '0', 'a number from 0.01 to 1440'],
    ['MAX_TALK_MINUTES', '1441', 'a number from 0.01 to 1440'],
    ['STT_PROVIDER', 'planted', 'openai, local or none'],
    ['TTS_PROVIDER', 'OpenAI', 'openai, local or none'],
    ['TTS_API_KEY', 'ключ', 'visible ASCII characters without spaces, at most 4096'],
    ['TURN_MIN_MS', '60001', 'a whole number from 0 to 60000'],
    ['GREETING', 'x'.repeat(2001), 'at most 2000 characters'],
    ['INSTRUCTIONS', ' ', 'a text'],
  ])('%s=%j', (variable, value, rule) => {
    const message = `${variable} is not valid: ${rule}`;
    expect(faultsOf({ [variable]: value })).toEqual([{ variable, message }]);
    expect(() => settingsOf({ [variable]: value })).toThrow(new StartError(message));
  });

  test('of values that do not fit each other', () => {
    expect(faultsOf({ LLM_MAX_OUTPUT_TOKENS: '5000' })).toEqual([
      {
        variable: 'LLM_MAX_OUTPUT_TOKENS',
        message: 'LLM_MAX_OUTPUT_TOKENS is not valid: at most half of LLM_CONTEXT_TOKENS',
      },
    ]);
    expect(faultsOf({ LLM_MAX_OUTPUT_TOKENS: '4096' })).toEqual([]);
    expect(faultsOf({ TURN_MIN_MS: '3001' })).toMatchObject([{ variable: 'TURN_MAX_MS' }]);
    expect(faultsOf({ TURN_MIN_MS: '3000' })).toEqual([]);
  });

  test('all of them are told at once', () => {
    const variables = { LLM_BASE_URL: 'there', LLM_TURN_MS: '-1', STT_PROVIDER: 'ear' };
    expect(() => loadSettings(variables)).toThrow(
      new StartError(
        [
          'LLM_API_KEY is not set: a value is needed',
          'LLM_BASE_URL is not valid: an http:// or https:// URL',
          'LLM_TURN_MS is not valid: a whole number from 100 to 3600000',
          'STT_PROVIDER is not valid: openai, local or none',
        ].join('\n'),
      ),
    );
  });
});

describe('speech', () => {
  test.each([
    [{}, 'openai', KEY],
    [{ LLM_API_KEY: 'rehearsal' }, 'none', undefined],
    [{ LLM_API_KEY: 'local', LLM_BASE_URL: 'http://127.0.0.1:8080/v1' }, 'none', undefined],
    [{ STT_BASE_URL: 'https://api.openai.com/v2' }, 'openai', KEY],
    [{ STT_BASE_URL: 'https://api.openai.com.evil.example/v1' }, 'openai', undefined],
    [{ STT_BASE_URL: 'https://api.openai.com:444/v1' }, 'openai', undefined],
    [{ STT_BASE_URL: 'http://api.openai.com/v1' }, 'openai', undefined],
    [{ STT_BASE_URL: 'http://127.0.0.1:9/v1', STT_API_KEY: 'own' }, 'openai', 'own'],
    [{ STT_PROVIDER: 'local' }, 'local', undefined],
    [{ STT_PROVIDER: 'local', STT_API_KEY: 'own' }, 'local', undefined],
    [{ STT_PROVIDER: 'none' }, 'none', undefined],
  ])('with %j: the model’s key goes to its own host only', (variables, provider, apiKey) => {
    expect(settingsOf(variables).speechToText).toMatchObject({ provider, apiKey });
  });
});

describe('the table of variables', () => {
  test('names each once, and only keys are secret, and what may hold one', () => {
    const names = TEMPLATE_VARIABLES.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    const secret = TEMPLATE_VARIABLES.filter((variable) => variable.secret);
    expect(secret.map(({ name }) => name)).toEqual([
      'LLM_API_KEY',
      'LLM_FALLBACK_API_KEY',
      'LLM_EXTRA_BODY',
      'STT_API_KEY',
      'TTS_API_KEY',
    ]);
    const required = TEMPLATE_VARIABLES.filter((variable) => variable.required);
    expect(required.map(({ name }) => name)).toEqual(['LLM_API_KEY']);
  });

  test('says a sentence of each, and a default of each that is not required', () => {
    for (const { description, required, default: standard } of TEMPLATE_VARIABLES) {
      expect(description).toMatch(/^[A-Z].+\.$/);
      expect(standard === '').toBe(required);
    }
  });

  test('has the defaults that the settings have', () => {
    const numbers = TEMPLATE_VARIABLES.filter((variable) => /^[\d.]+$/.test(variable.default));
    expect(numbers.length).toBeGreaterThan(8);
    const given = Object.fromEntries(numbers.map((variable) => [variable.name, variable.default]));
    expect(settingsOf(given)).toEqual(settingsOf({}));
  });
});

test('a fallback model has its own endpoint, key and name, and not the first provider’s options', () => {
  const { model } = settingsOf({
    LLM_EXTRA_BODY: '{"key":"another"}',
    LLM_TEMPERATURE: '0.5',
    LLM_FALLBACK_API_KEY: 'local',
    LLM_FALLBACK_BASE_URL: 'http://127.0.0.1:11434/v1/',
  });
  expect(model.fallback).toEqual({
    ...model,
    prefix: 'LLM_FALLBACK',
    baseUrl: 'http://127.0.0.1:11434/v1',
    apiKey: 'local',
    model: undefined,
    extraBody: {},
    fallback: undefined,
  });
  expect(settingsOf({ LLM_FALLBACK_MODEL: 'small' }).model.fallback).toBeUndefined();
});
