import {
  type ConversationSettings,
  KEY_WORDS,
  type ModelSettings,
  type SpeechSettings,
} from './settings.ts';
import { OPENAI_URL, type VariableValues } from './variables.ts';

const OPENAI_MODEL = 'gpt-4.1-mini';

const MINUTE_MS = 60_000;

export function settingsOf(
  values: VariableValues,
  proxies: ModelSettings['proxies'],
): ConversationSettings {
  return {
    model: modelSettings(values, proxies),
    persona: {
      instructions: values.INSTRUCTIONS,
      greeting: values.GREETING,
      failureMessage: values.FAILURE_MESSAGE,
      language: values.LANGUAGE,
      timeZone: values.TIME_ZONE,
    },
    limits: {
      nudgeAfterMs: values.NUDGE_AFTER_MS,
      leaveAfterMs: values.LEAVE_AFTER_MINUTES * MINUTE_MS,
      maxTalkMs:
        values.MAX_TALK_MINUTES === undefined ? undefined : values.MAX_TALK_MINUTES * MINUTE_MS,
    },
    speechToText: {
      ...speechEndpoint(values, values.STT_PROVIDER, values.STT_BASE_URL, values.STT_API_KEY),
      model: values.STT_MODEL,
    },
    speech: {
      ...speechEndpoint(values, values.TTS_PROVIDER, values.TTS_BASE_URL, values.TTS_API_KEY),
      model: values.TTS_MODEL,
      voice: values.TTS_VOICE,
    },
    turns: {
      minMs: values.TURN_MIN_MS,
      maxMs: values.TURN_MAX_MS,
      interruptMinMs: values.INTERRUPT_MIN_MS,
    },
  };
}

function modelSettings(values: VariableValues, proxies: ModelSettings['proxies']): ModelSettings {
  const model: ModelSettings = {
    prefix: 'LLM',
    baseUrl: values.LLM_BASE_URL,
    apiKey: values.LLM_API_KEY,
    model: values.LLM_MODEL ?? defaultModel(values.LLM_BASE_URL),
    temperature: values.LLM_TEMPERATURE,
    maxOutputTokens: values.LLM_MAX_OUTPUT_TOKENS,
    contextTokens: values.LLM_CONTEXT_TOKENS,
    firstTokenMs: values.LLM_FIRST_TOKEN_MS,
    idleMs: values.LLM_IDLE_MS,
    turnMs: values.LLM_TURN_MS,
    extraBody: values.LLM_EXTRA_BODY,
    budgetTokens: values.LLM_BUDGET_TOKENS,
    fallback: undefined,
    proxies,
  };
  return { ...model, fallback: fallbackSettings(values, model) };
}

/** `LLM_EXTRA_BODY` may contain further keys of the first provider, so no other provider gets it. */
function fallbackSettings(values: VariableValues, model: ModelSettings): ModelSettings | undefined {
  const apiKey = values.LLM_FALLBACK_API_KEY;
  if (apiKey === undefined) return undefined;
  const baseUrl = values.LLM_FALLBACK_BASE_URL;
  const name = values.LLM_FALLBACK_MODEL ?? defaultModel(baseUrl);
  return { ...model, prefix: 'LLM_FALLBACK', baseUrl, apiKey, model: name, extraBody: {} };
}

function defaultModel(baseUrl: string): string | undefined {
  return new URL(baseUrl).host === new URL(OPENAI_URL).host ? OPENAI_MODEL : undefined;
}

/**
 * The model's key is sent to a speech endpoint only at the same host, port and protocol, and never when it is one of
 * `KEY_WORDS`.
 */
function speechEndpoint(
  { LLM_API_KEY, LLM_BASE_URL }: VariableValues,
  provider: SpeechSettings['provider'] | undefined,
  ownUrl: string | undefined,
  ownKey: string | undefined,
): Pick<SpeechSettings, 'provider' | 'baseUrl' | 'apiKey'> {
  const baseUrl = ownUrl ?? LLM_BASE_URL;
  const isRealKey = !KEY_WORDS.includes(LLM_API_KEY);
  const isSameHost = new URL(baseUrl).origin === new URL(LLM_BASE_URL).origin;
  const apiKey = ownKey ?? (isRealKey && isSameHost ? LLM_API_KEY : undefined);
  const hasEndpoint = ownUrl !== undefined || apiKey !== undefined;
  const chosen = provider ?? (hasEndpoint ? 'openai' : 'none');
  // The local speech server is another host and needs no key.
  return { provider: chosen, baseUrl, apiKey: chosen === 'openai' ? apiKey : undefined };
}
