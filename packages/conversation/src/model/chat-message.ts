/** A tool call as a model asks for it. `arguments` is JSON, or what a weak model wrote instead. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A message of a request to a model. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** The tokens of one request, as the endpoint counted them. */
export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}
