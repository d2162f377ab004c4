export interface ModelSettings {
  readonly prefix: 'LLM' | 'LLM_FALLBACK';
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string | undefined;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number;
  readonly contextTokens: number;
  readonly firstTokenMs: number;
  readonly idleMs: number;
  readonly turnMs: number;
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly budgetTokens: number | undefined;
  readonly fallback: ModelSettings | undefined;
  /** The operator's proxy variables, which no template can set. Their values may contain passwords. */
  readonly proxies: Readonly<Record<string, string>>;
}

export interface Persona {
  readonly instructions: string | undefined;
  /** `off` waits for the user; undefined lets the model write the greeting. */
  readonly greeting: string | undefined;
  readonly failureMessage: string | undefined;
  readonly language: string;
  readonly timeZone: string;
}

export interface SpeechSettings {
  readonly provider: 'openai' | 'local' | 'none';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string | undefined;
}

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

export const REHEARSAL_KEY = 'rehearsal';
export const NO_KEY = 'local';
/** Values of `LLM_API_KEY` that are not secret. */
export const KEY_WORDS: readonly string[] = [REHEARSAL_KEY, NO_KEY];
