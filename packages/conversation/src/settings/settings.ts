import { StartError } from '@session/kit';
import type * as z from 'zod';
import { OPENAI_URL, Variables } from './variables.ts';

/** Which endpoint answers, and how long it may take. Times are in milliseconds. */
export interface ModelSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Secret. */
  readonly apiKey: string;
  /** Undefined where the endpoint is asked for its only model. */
  readonly model: string | undefined;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number;
  readonly contextTokens: number;
  readonly firstTokenMs: number;
  readonly idleMs: number;
  readonly turnMs: number;
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly budgetTokens: number | undefined;
}

/** Who the agent is. */
export interface Persona {
  readonly instructions: string | undefined;
  /** The first words; `off` waits for the user, undefined leaves the words to the model. */
  readonly greeting: string | undefined;
  readonly language: string;
  readonly timeZone: string;
}

/** Speech to text, or speech. The key is secret, and undefined where none may go to that host. */
export interface SpeechSettings {
  readonly provider: 'openai' | 'local' | 'none';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string | undefined;
}

/** What an environment template says to a conversational agent. */
export interface ConversationSettings {
  readonly model: ModelSettings;
  readonly persona: Persona;
  readonly limits: {
    readonly nudgeAfterMs: number;
    readonly leaveAfterMs: number;
    readonly maxTalkMs: number | undefined;
  };
  readonly speechToText: SpeechSettings;
  readonly speech: SpeechSettings & { readonly voice: string | undefined };
  readonly turns: {
    readonly minMs: number;
    readonly maxMs: number;
    readonly interruptMinMs: number;
  };
}

/** A variable that is missing or faulty. Neither field holds its value. */
export interface VariableFault {
  readonly variable: string;
  readonly isMissing: boolean;
  /** What the value must be. */
  readonly rule: string;
}

/** The key that selects the rehearsal model. */
export const REHEARSAL_KEY = 'rehearsal';
/** The key for servers that want none. */
export const NO_KEY = 'local';

/** The model behind OpenAI's own address when a template names none. */
const OPENAI_MODEL = 'gpt-4.1-mini';

const MINUTE_MS = 60_000;

type TemplateValues = Readonly<Record<string, string | undefined>>;
type Values = z.output<typeof Variables>;

/**
 * Reads the variables of an environment template; all others are ignored, and an empty value counts as not set. Returns
 * the settings, or every fault: a preflight shows them.
 */
export function readSettings(
  variables: TemplateValues,
):
  | { readonly settings: ConversationSettings }
  | { readonly settings?: never; readonly faults: readonly VariableFault[] } {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value));
  const result = Variables.safeParse(present);
  if (!result.success) {
    return { faults: faultsOf(result.error, present) };
  }
  const faults = crossFaults(result.data);
  return faults.length > 0 ? { faults } : { settings: settingsOf(result.data) };
}

/** Reads the variables like `readSettings`; throws a StartError with one line for each fault. */
export function loadSettings(variables: TemplateValues): ConversationSettings {
  const result = readSettings(variables);
  if (result.settings) return result.settings;
  const lines = result.faults.map(
    ({ variable, isMissing, rule }) =>
      `${variable} is ${isMissing ? 'not set' : 'not valid'}: ${rule}`,
  );
  throw new StartError(lines.join('\n'));
}

/** Returns one fault for each variable: the first rule that its value breaks. */
function faultsOf({ issues }: z.ZodError, present: TemplateValues): VariableFault[] {
  const rules = new Map(issues.toReversed().map(({ path, message }) => [String(path[0]), message]));
  return Array.from(rules, ([variable, rule]) => {
    const isMissing = !Object.hasOwn(present, variable);
    return { variable, isMissing, rule: isMissing ? 'a value is needed' : rule };
  }).toReversed();
}

/** Returns the faults of values that are valid alone but not together. */
function crossFaults(values: Values): VariableFault[] {
  const rules = [
    {
      variable: 'LLM_MAX_OUTPUT_TOKENS',
      isKept: values.LLM_MAX_OUTPUT_TOKENS * 2 <= values.LLM_CONTEXT_TOKENS,
      rule: 'at most half of LLM_CONTEXT_TOKENS',
    },
    {
      variable: 'TURN_MAX_MS',
      isKept: values.TURN_MIN_MS <= values.TURN_MAX_MS,
      rule: 'at least TURN_MIN_MS',
    },
  ];
  return rules
    .filter(({ isKept }) => !isKept)
    .map(({ variable, rule }) => ({ variable, isMissing: false, rule }));
}

function settingsOf(values: Values): ConversationSettings {
  return {
    model: modelSettings(values),
    persona: {
      instructions: values.INSTRUCTIONS,
      greeting: values.GREETING,
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

function modelSettings(values: Values): ModelSettings {
  const isOpenai = new URL(values.LLM_BASE_URL).host === new URL(OPENAI_URL).host;
  return {
    baseUrl: values.LLM_BASE_URL,
    apiKey: values.LLM_API_KEY,
    model: values.LLM_MODEL ?? (isOpenai ? OPENAI_MODEL : undefined),
    temperature: values.LLM_TEMPERATURE,
    maxOutputTokens: values.LLM_MAX_OUTPUT_TOKENS,
    contextTokens: values.LLM_CONTEXT_TOKENS,
    firstTokenMs: values.LLM_FIRST_TOKEN_MS,
    idleMs: values.LLM_IDLE_MS,
    turnMs: values.LLM_TURN_MS,
    extraBody: values.LLM_EXTRA_BODY,
    budgetTokens: values.LLM_BUDGET_TOKENS,
  };
}

/** The model's key goes to the same host, port and protocol only, and never when it is a word of ours instead of a key. */
function speechEndpoint(
  { LLM_API_KEY, LLM_BASE_URL }: Values,
  provider: SpeechSettings['provider'] | undefined,
  ownUrl: string | undefined,
  ownKey: string | undefined,
): Pick<SpeechSettings, 'provider' | 'baseUrl' | 'apiKey'> {
  const baseUrl = ownUrl ?? LLM_BASE_URL;
  const isRealKey = LLM_API_KEY !== REHEARSAL_KEY && LLM_API_KEY !== NO_KEY;
  const isSameHost = new URL(baseUrl).origin === new URL(LLM_BASE_URL).origin;
  const apiKey = ownKey ?? (isRealKey && isSameHost ? LLM_API_KEY : undefined);
  const hasEndpoint = ownUrl !== undefined || apiKey !== undefined;
  return { provider: provider ?? (hasEndpoint ? 'openai' : 'none'), baseUrl, apiKey };
}
