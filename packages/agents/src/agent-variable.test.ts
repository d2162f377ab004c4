import { expect, test } from 'vitest';
import { ECHO_VARIABLES, secretValues, TEXT_VARIABLES, VOICE_VARIABLES } from './agent-variable.ts';

test('keys and the values of unknown variables are secret; settings and words that stand for a key are not', () => {
  const shown = {
    LLM_API_KEY: 'rehearsal',
    STT_API_KEY: 'local',
    STT_PROVIDER: 'openai',
    LLM_TURN_MS: '60000',
    INSTRUCTIONS: 'Be kind.',
  };
  expect(secretValues(shown, VOICE_VARIABLES)).toEqual([]);
  const secret = { LLM_API_KEY: 'sk-1', TTS_API_KEY: 'sk-2', OWN: 'local', llm_model: 'x' };
  expect(secretValues({ ...shown, ...secret }, VOICE_VARIABLES)).toEqual(Object.values(secret));
  // It is unknown whether a variable that the role does not read is secret.
  expect(secretValues({ STT_PROVIDER: 'deaf' }, TEXT_VARIABLES)).toEqual(['deaf']);
  expect(secretValues({ LLM_MODEL: 'm' }, ECHO_VARIABLES)).toEqual(['m']);
  expect(secretValues({ LLM_MODEL: 'm' }, [])).toEqual(['m']);
});

test('a password in the address of an endpoint is secret, although no agent accepts it', () => {
  const LLM_BASE_URL = 'https://ann:hunter2@models.example/v1';
  expect(secretValues({ LLM_BASE_URL }, TEXT_VARIABLES)).toEqual([LLM_BASE_URL]);
  expect(secretValues({ LLM_BASE_URL: 'http://h/v1/@a' }, TEXT_VARIABLES)).toEqual([]);
});
