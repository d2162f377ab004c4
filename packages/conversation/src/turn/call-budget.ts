import type { TokenUsage } from '../model/chat-message.ts';
import { ModelFailure } from '../model/model-failure.ts';

const MAX_CALLS_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

export class CallBudget {
  readonly #maxTokens: number;
  readonly #clock: () => number;
  #calls: number[] = [];
  #usage: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  #callCount = 0;

  constructor(maxTokens: number | undefined, clock: () => number) {
    this.#maxTokens = maxTokens ?? Number.POSITIVE_INFINITY;
    this.#clock = clock;
  }

  get total(): TokenUsage & { readonly modelCalls: number } {
    return { ...this.#usage, modelCalls: this.#callCount };
  }

  get isSpent(): boolean {
    return this.#usage.promptTokens + this.#usage.completionTokens >= this.#maxTokens;
  }

  take(): void {
    const now = this.#clock();
    this.#calls = this.#calls.filter((time) => now - time < MINUTE_MS);
    if (this.#calls.length >= MAX_CALLS_PER_MINUTE) {
      throw new ModelFailure('too_fast', `more than ${MAX_CALLS_PER_MINUTE} calls in a minute`);
    }
    this.#calls.push(now);
    this.#callCount += 1;
  }

  spend({ promptTokens, completionTokens }: TokenUsage): void {
    this.#usage = {
      promptTokens: this.#usage.promptTokens + promptTokens,
      completionTokens: this.#usage.completionTokens + completionTokens,
    };
  }
}
