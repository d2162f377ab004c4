import type { ChatMessage, TokenUsage } from '../model/chat-message.ts';
import type { Model, ModelOutput } from '../model/model.ts';
import { ModelFailure } from '../model/model-failure.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import { PromptHistory } from '../prompt/history.ts';
import { TokenEstimate } from '../prompt/token-estimate.ts';
import type { ModelSettings } from '../settings/settings.ts';
import type { CallBudget } from './call-budget.ts';
import { SUMMARY_INSTRUCTIONS } from './notices.ts';

/** What a request contains apart from the history: `data` comes before the history, `last` after it. */
export interface Question {
  readonly system: string;
  readonly data?: readonly ChatMessage[];
  readonly last?: readonly ChatMessage[];
  readonly tools?: readonly ToolDefinition[];
  readonly wantsJson?: boolean;
  readonly mayBeEmpty?: boolean;
}

/** Endpoints refuse the content of a request with these statuses. */
const CONTENT_STATUSES = new Set<unknown>([400, 422]);

const LEAST_HISTORY_TOKENS = 256;

export class ModelSession implements AsyncDisposable {
  readonly #model: Model;
  readonly #budget: CallBudget;
  readonly #estimate = new TokenEstimate();
  readonly #closing = new AbortController();
  readonly history = new PromptHistory(this.#estimate);
  /** Smaller than in the template once the endpoint has refused a request as too long. */
  #promptTokens: number;
  #historyTokens: number;
  #compacting: Promise<void> | undefined;

  constructor(model: Model, settings: ModelSettings, budget: CallBudget) {
    this.#model = model;
    this.#budget = budget;
    this.#promptTokens = settings.contextTokens - settings.maxOutputTokens;
    this.#historyTokens = this.#promptTokens;
  }

  /**
   * Yields the answer to a question about the history. If a request exceeds the model's context, it is sent once more
   * at half the size, and later requests stay as short. If the endpoint refuses the content of a request, later
   * requests leave out the words that were new in that one. Throws like `Model.stream`.
   */
  async *ask(question: Question, signal: AbortSignal): AsyncGenerator<ModelOutput> {
    for (let isHalved = false; ; isHalved = true) {
      const messages = this.#messages(question);
      try {
        yield* this.#sendHistory(messages, question, signal);
        return;
      } catch (error) {
        // If the request ends with an added question, perhaps only the last answer is new.
        if (!question.last && refusesContent(error)) this.history.leaveOutNew();
        const isTooLong = error instanceof ModelFailure && error.kind === 'too_long';
        if (!isTooLong || isHalved) throw error;
        this.#promptTokens = Math.ceil(this.#estimate.tokensOf(messages, question.tools) / 2);
      }
    }
  }

  get historyBytes(): number {
    return this.#estimate.bytesFor(this.#historyTokens);
  }

  compact(): void {
    this.#compacting ??= this.history
      .compact(
        this.#historyTokens,
        (older, signal) => this.#summarise(older, signal),
        this.#closing.signal,
      )
      .finally(() => {
        this.#compacting = undefined;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#compacting;
  }

  #messages({ system, data = [], last = [], tools = [] }: Question): ChatMessage[] {
    const before: ChatMessage[] = [{ role: 'system', content: system }, ...data];
    const fixedTokens = this.#estimate.tokensOf([...before, ...last], tools);
    this.#historyTokens = Math.max(LEAST_HISTORY_TOKENS, this.#promptTokens - fixedTokens);
    return [...before, ...this.history.messages(this.#historyTokens), ...last];
  }

  async *#sendHistory(
    messages: readonly ChatMessage[],
    question: Question,
    signal: AbortSignal,
  ): AsyncGenerator<ModelOutput> {
    const { entries } = this.history;
    let isAccepted = false;
    for await (const output of this.#send(messages, question, signal)) {
      if (!isAccepted && output.type !== 'retry') {
        isAccepted = true;
        this.history.accept(entries);
      }
      yield output;
    }
  }

  async *#send(
    messages: readonly ChatMessage[],
    { tools = [], wantsJson = false, mayBeEmpty = false }: Question,
    signal: AbortSignal,
  ): AsyncGenerator<ModelOutput> {
    this.#budget.take();
    let text = '';
    let usage: TokenUsage | undefined;
    let isWhole = false;
    try {
      for await (const output of this.#model.stream(
        { messages, tools, wantsJson, mayBeEmpty },
        signal,
      )) {
        if (output.type === 'wasted') {
          this.#budget.spend(output.usage ?? this.#estimated(messages, tools, text));
          text = '';
          continue;
        }
        if (output.type === 'end') {
          ({ usage } = output);
          isWhole = true;
        }
        if (output.type === 'text') text += output.text;
        yield output;
      }
    } finally {
      if (usage) this.#estimate.learn(usage, messages, tools);
      // An interrupted answer costs tokens too, but no endpoint reports them.
      if (isWhole || text !== '')
        this.#budget.spend(usage ?? this.#estimated(messages, tools, text));
    }
  }

  #estimated(
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    text: string,
  ): TokenUsage {
    return {
      promptTokens: this.#estimate.tokensOf(messages, tools),
      completionTokens: this.#estimate.tokensOf([{ role: 'assistant', content: text }]),
    };
  }

  async #summarise(older: readonly ChatMessage[], signal: AbortSignal): Promise<string> {
    let summary = '';
    const messages: ChatMessage[] = [
      { role: 'system', content: SUMMARY_INSTRUCTIONS },
      { role: 'user', content: transcriptOf(older) },
    ];
    const parts = this.#send(messages, { system: '' }, signal);
    for await (const output of parts) if (output.type === 'text') summary += output.text;
    return summary;
  }
}

function refusesContent(error: unknown): boolean {
  return (
    error instanceof ModelFailure && error.kind === 'declined' && CONTENT_STATUSES.has(error.cause)
  );
}

/** Returns a transcript as one message of data, so that no line of it can pass for a turn. */
function transcriptOf(messages: readonly ChatMessage[]): string {
  return messages
    .filter(({ content }) => content !== '')
    .map(({ role, content }) => JSON.stringify({ role, content }))
    .join('\n');
}
