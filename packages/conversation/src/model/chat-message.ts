export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Gemini's `thought_signature`. Only the endpoint that made it may get it back, together with the call. */
  readonly signature?: string | undefined;
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}
