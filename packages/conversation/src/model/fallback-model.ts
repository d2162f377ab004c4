import type { Model, ModelOutput } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import type { ModelRequest } from './request-dialect.ts';

const STAY_MS = 60_000;

/**
 * Asks a second model when the first one returns no word of an answer, and then only the second one for a minute. `first`
 * should not retry, because people are waiting.
 */
export class FallbackModel implements Model {
  readonly #first: Model;
  readonly #second: Model;
  readonly #clock: () => number;
  #failure: ModelFailure | undefined;
  #until = Number.NEGATIVE_INFINITY;
  #isFallback = false;

  constructor(first: Model, second: Model, clock = () => performance.now()) {
    this.#first = first;
    this.#second = second;
    this.#clock = clock;
  }

  get name(): string | undefined {
    return (this.#isFallback ? this.#second : this.#first).name;
  }

  get isFallback(): boolean {
    return this.#isFallback;
  }

  get hasTools(): boolean {
    return this.#active.hasTools;
  }

  get hasAllTools(): boolean {
    return this.#active.hasAllTools;
  }

  get hasJson(): boolean {
    return this.#active.hasJson;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelOutput> {
    if (!this.#isSecondAsked) {
      this.#isFallback = false;
      this.#failure = yield* this.#askFirst(request, signal);
      if (!this.#failure) return;
      this.#until = this.#clock() + STAY_MS;
    }
    this.#isFallback = true;
    try {
      yield* this.#second.stream(request, signal);
    } catch (error) {
      if (!isOfModel(error)) throw error;
      this.#until = Number.NEGATIVE_INFINITY;
      // Refusals end an agent for good. So if the first model only had an outage, its failure is thrown instead of the
      // second model's refusal.
      const isOutage = isRefusal(error) && !(this.#failure && isRefusal(this.#failure));
      throw isOutage ? (this.#failure ?? error) : error;
    }
  }

  async *#askFirst(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelOutput, ModelFailure | undefined> {
    let hasSpoken = false;
    try {
      for await (const output of this.#first.stream(request, signal)) {
        hasSpoken ||= output.type === 'text' && output.text.trim() !== '';
        yield output;
      }
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (hasSpoken || !isOfModel(error)) throw error;
      return error;
    }
  }

  get #isSecondAsked(): boolean {
    return this.#clock() < this.#until;
  }

  get #active(): Model {
    return this.#isSecondAsked ? this.#second : this.#first;
  }
}

function isOfModel(error: unknown): error is ModelFailure {
  return error instanceof ModelFailure && error.kind !== 'too_long';
}

function isRefusal({ kind }: ModelFailure): boolean {
  return kind === 'refused' || kind === 'declined';
}
