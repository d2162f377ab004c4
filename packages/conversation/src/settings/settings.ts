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
  /** The operator's proxy variables, which no template can set; empty where Node uses no proxy. Values may hold passwords. */
  readonly proxies: Readonly<Record<string, string>>;
}

/** Who the agent is. */
export interface Persona {
  readonly instructions: string | undefined;
  /** The first words; `off` waits for the user, undefined leaves the words to the model. */
  readonly greeting: string | undefined;
  /** What the agent says when it has no answer. By default a sentence in `language`. */
  readonly failureMessage: string | undefined;
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

/** The key that selects the rehearsal model. */
export const REHEARSAL_KEY = 'rehearsal';
/** The key for servers that want none. */
export const NO_KEY = 'local';
/** What `LLM_API_KEY` may hold instead of a key: no secrets. */
export const KEY_WORDS: readonly string[] = [REHEARSAL_KEY, NO_KEY];
