import { expect, test } from 'vitest';
import { loadSettings, secretOrigins, TEMPLATE_VARIABLES } from './index.ts';

const A = 'https://a.example/v1';
const B = 'http://b.example:8080/v1/';

test('every secret variable has an origin', () => {
  const secrets = TEMPLATE_VARIABLES.filter(({ secret }) => secret).map(({ name }) => name);
  expect([...secretOrigins({}).keys()].toSorted()).toEqual(secrets.toSorted());
});

test.each([
  {},
  { LLM_BASE_URL: A },
  { LLM_BASE_URL: '', STT_BASE_URL: '' },
  { LLM_BASE_URL: A, LLM_FALLBACK_BASE_URL: B },
  { LLM_BASE_URL: A, STT_BASE_URL: B },
  { TTS_BASE_URL: B, LLM_FALLBACK_BASE_URL: A },
  { LLM_BASE_URL: B, STT_BASE_URL: A, TTS_BASE_URL: A },
])('the origins are those of the settings: %j', (addresses) => {
  const { model, speechToText, speech } = loadSettings({
    ...addresses,
    LLM_API_KEY: 'k',
    LLM_FALLBACK_API_KEY: 'k',
  });
  expect(Object.fromEntries(secretOrigins(addresses))).toEqual({
    LLM_API_KEY: originOf(model),
    LLM_EXTRA_BODY: originOf(model),
    LLM_FALLBACK_API_KEY: originOf(model.fallback),
    STT_API_KEY: originOf(speechToText),
    TTS_API_KEY: originOf(speech),
  });
});

test('an address that no agent would take has no origin', () => {
  const variables = { LLM_BASE_URL: A, STT_BASE_URL: 'b.example', TTS_BASE_URL: 'ftp://b.example' };
  const origins = secretOrigins(variables);
  expect([origins.get('LLM_API_KEY'), origins.get('STT_API_KEY')]).toEqual([
    'https://a.example',
    undefined,
  ]);
  expect(origins.get('TTS_API_KEY')).toBeUndefined();
});

function originOf(endpoint: { readonly baseUrl: string } | undefined): string | undefined {
  return endpoint && new URL(endpoint.baseUrl).origin;
}
