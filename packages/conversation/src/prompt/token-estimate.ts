import type { ChatMessage, TokenUsage } from '../model/chat-message.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';

const STANDARD_BYTES_PER_TOKEN = 3.5;
/** A ratio outside these bounds is an error of the endpoint: some report 0, or the tokens of a cache. */
const LEAST_BYTES_PER_TOKEN = 1;
const MOST_BYTES_PER_TOKEN = 8;

/** Estimates tokens by bytes. Each count of the endpoint corrects the ratio, which depends on model and language. */
export class TokenEstimate {
  #bytesPerToken = STANDARD_BYTES_PER_TOKEN;

  tokensOf(messages: readonly ChatMessage[], tools: readonly ToolDefinition[] = []): number {
    return Math.ceil(bytesOf(messages, tools) / this.#bytesPerToken);
  }

  bytesFor(tokens: number): number {
    return Math.max(0, Math.floor(tokens * this.#bytesPerToken));
  }

  learn(
    { promptTokens }: TokenUsage,
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
  ): void {
    const ratio = bytesOf(messages, tools) / promptTokens;
    if (ratio >= LEAST_BYTES_PER_TOKEN && ratio <= MOST_BYTES_PER_TOKEN) {
      this.#bytesPerToken = ratio;
    }
  }
}

function bytesOf(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): number {
  return Buffer.byteLength(JSON.stringify([messages.map(withoutSignatures), tools]));
}

function withoutSignatures(message: ChatMessage): ChatMessage {
  if (message.role !== 'assistant' || !message.toolCalls) return message;
  const toolCalls = message.toolCalls.map(({ id, name, arguments: json }) => ({
    id,
    name,
    arguments: json,
  }));
  return { ...message, toolCalls };
}
