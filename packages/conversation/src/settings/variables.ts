import * as z from 'zod';
import {
  baseUrl,
  decimal,
  extraBody,
  key,
  language,
  provider,
  text,
  timeZone,
  whole,
} from './variable-shapes.ts';

interface TemplateVariable extends Required<Notes> {
  readonly name: string;
  readonly required: boolean;
}

interface Notes {
  readonly default: string;
  readonly description: string;
  readonly secret?: boolean;
  readonly voiceOnly?: boolean;
}

const NOTES = z.registry<Notes>();

export const OPENAI_URL = 'https://api.openai.com/v1';

const DAY_MS = 86_400_000;
const DAY_MINUTES = 1440;

export const Variables = z.object({
  LLM_API_KEY: key().register(NOTES, {
    secret: true,
    default: '',
    description:
      'The key of the language model. `rehearsal` uses the built-in rehearsal model; `local` is for servers that want no key.',
  }),
  LLM_BASE_URL: baseUrl().default(OPENAI_URL).register(NOTES, {
    default: OPENAI_URL,
    description:
      'An OpenAI-compatible endpoint: Ollama `http://HOST:11434/v1`, llama.cpp `http://HOST:8080/v1`, vLLM `http://HOST:8000/v1`. In a pod, loopback is the pod.',
  }),
  LLM_MODEL: text(200).optional().register(NOTES, {
    default: 'the only model that the endpoint offers',
    description: 'The name of the model. OpenAI’s own address has a default.',
  }),
  LLM_FALLBACK_API_KEY: key().optional().register(NOTES, {
    secret: true,
    default: 'no fallback model',
    description:
      'The key of the fallback model, which answers when the first model fails. As with `LLM_API_KEY`, `local` is for servers that want no key.',
  }),
  LLM_FALLBACK_BASE_URL: baseUrl().default(OPENAI_URL).register(NOTES, {
    default: OPENAI_URL,
    description: 'The endpoint of the fallback model.',
  }),
  LLM_FALLBACK_MODEL: text(200).optional().register(NOTES, {
    default: 'the only model that the endpoint offers',
    description: 'The name of the fallback model. OpenAI’s own address has a default.',
  }),
  LLM_TEMPERATURE: decimal(0, 2).optional().register(NOTES, {
    default: 'the endpoint’s',
    description: 'The sampling temperature.',
  }),
  LLM_MAX_OUTPUT_TOKENS: whole(16, 100_000).default(800).register(NOTES, {
    default: '800',
    description: 'The most tokens of one answer.',
  }),
  LLM_CONTEXT_TOKENS: whole(1024, 10_000_000).default(8192).register(NOTES, {
    default: '8192',
    description: 'The tokens that the model can read and write in one request.',
  }),
  LLM_FIRST_TOKEN_MS: whole(100, 600_000).default(15_000).register(NOTES, {
    default: '15000',
    description: 'The longest wait for the first token of an answer.',
  }),
  LLM_IDLE_MS: whole(100, 600_000).default(8000).register(NOTES, {
    default: '8000',
    description: 'The longest silence between two tokens.',
  }),
  LLM_TURN_MS: whole(100, 3_600_000).default(60_000).register(NOTES, {
    default: '60000',
    description: 'The longest turn, with all its requests and retries.',
  }),
  LLM_EXTRA_BODY: extraBody().default({}).register(NOTES, {
    // Some providers take further keys in the body.
    secret: true,
    default: '{}',
    description: 'A JSON object that is merged into each request, for options of one provider.',
  }),
  LLM_BUDGET_TOKENS: whole(1, 1_000_000_000).optional().register(NOTES, {
    default: 'none',
    description: 'The agent says goodbye and leaves when it has used this many tokens.',
  }),
  INSTRUCTIONS: text(32_768).optional().register(NOTES, {
    default: 'the description of the plan',
    description: 'Who the agent is, and how it talks.',
  }),
  GREETING: text(2000).optional().register(NOTES, {
    default: 'the model greets',
    description: 'The first words of the agent; `off` waits for the user.',
  }),
  FAILURE_MESSAGE: text(500).optional().register(NOTES, {
    default: 'a sentence in the language of the conversation: en, de, fr, es, it, else en',
    description: 'What the agent says when it has no answer, at most once in 10 s.',
  }),
  LANGUAGE: language().default('en').register(NOTES, {
    default: 'en',
    description: 'The language of the conversation.',
  }),
  TIME_ZONE: timeZone().default('UTC').register(NOTES, {
    default: 'UTC',
    description: 'The time zone in which the agent knows date, weekday and time.',
  }),
  NUDGE_AFTER_MS: whole(1000, DAY_MS).default(20_000).register(NOTES, {
    default: '20000',
    description: 'After this silence on a step the agent asks once.',
  }),
  LEAVE_AFTER_MINUTES: decimal(0.01, DAY_MINUTES).default(30).register(NOTES, {
    default: '30',
    description: 'The agent leaves after this time with nobody in the room and no text.',
  }),
  MAX_TALK_MINUTES: decimal(0.01, DAY_MINUTES).optional().register(NOTES, {
    default: 'none: the service stops an agent after 24 hours',
    description: 'The agent says goodbye and leaves after this time.',
  }),
  STT_PROVIDER: provider().optional().register(NOTES, {
    voiceOnly: true,
    default: '`openai` when a URL or a key can be used, else `none`',
    description:
      'Speech to text: any OpenAI-compatible endpoint, the local speech server, or none.',
  }),
  STT_BASE_URL: baseUrl().optional().register(NOTES, {
    voiceOnly: true,
    default: 'LLM_BASE_URL',
    description: 'The endpoint for speech to text.',
  }),
  STT_API_KEY: key().optional().register(NOTES, {
    secret: true,
    voiceOnly: true,
    default: 'LLM_API_KEY, on the same host only',
    description: 'The key for speech to text.',
  }),
  STT_MODEL: text(200).optional().register(NOTES, {
    voiceOnly: true,
    default: 'the provider’s',
    description: 'The model for speech to text.',
  }),
  TTS_PROVIDER: provider().optional().register(NOTES, {
    voiceOnly: true,
    default: '`openai` when a URL or a key can be used, else `none`',
    description: 'Speech: any OpenAI-compatible endpoint, the local speech server, or none.',
  }),
  TTS_BASE_URL: baseUrl().optional().register(NOTES, {
    voiceOnly: true,
    default: 'LLM_BASE_URL',
    description: 'The endpoint for speech.',
  }),
  TTS_API_KEY: key().optional().register(NOTES, {
    secret: true,
    voiceOnly: true,
    default: 'LLM_API_KEY, on the same host only',
    description: 'The key for speech.',
  }),
  TTS_MODEL: text(200).optional().register(NOTES, {
    voiceOnly: true,
    default: 'the provider’s',
    description: 'The model for speech.',
  }),
  TTS_VOICE: text(200).optional().register(NOTES, {
    voiceOnly: true,
    default: 'the provider’s',
    description: 'The voice.',
  }),
  TURN_MIN_MS: whole(0, 60_000).default(500).register(NOTES, {
    voiceOnly: true,
    default: '500',
    description: 'The shortest pause that ends a person’s turn.',
  }),
  TURN_MAX_MS: whole(0, 60_000).default(3000).register(NOTES, {
    voiceOnly: true,
    default: '3000',
    description: 'The pause that ends a person’s turn in any case.',
  }),
  INTERRUPT_MIN_MS: whole(0, 60_000).default(500).register(NOTES, {
    voiceOnly: true,
    default: '500',
    description: 'The shortest speech that interrupts the agent.',
  }),
});

export type VariableValues = z.output<typeof Variables>;

export const TEMPLATE_VARIABLES: readonly TemplateVariable[] = Object.entries(Variables.shape).map(
  ([name, shape]) => ({
    name,
    required: !shape.safeParse(undefined).success,
    secret: false,
    voiceOnly: false,
    default: '',
    description: '',
    ...NOTES.get(shape),
  }),
);
