import type { Model, ModelOutput } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import type { ModelRequest } from './request-dialect.ts';

const STAY_MS = 60_000;

/**
 * Asks a second model where the first one gives no word of an answer, and then only the second one for a minute. `first` should not
 * retry: people wait meanwhile.
 */
export class FallbackModel implements Model {
  readonly #first: Model;
  readonly #second: Model;
  readonly #clock: () => number;
  #until = Number.NEGATIVE_INFINITY;

  constructor(first: Model, second: Model, clock = () => performance.now()) {
    this.#first = first;
    this.#second = second;
    this.#clock = clock;
  }

  get isFallback(): boolean {
    return this.#clock() < this.#until;
  }

  get hasTools(): boolean {
    return this.#active.hasTools;
  }

  get hasJson(): boolean {
    return this.#active.hasJson;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelOutput> {
    if (!this.isFallback) {
      const isAnswered = yield* this.#askFirst(request, signal);
      if (isAnswered) return;
      this.#until = this.#clock() + STAY_MS;
    }
    try {
      yield* this.#second.stream(request, signal);
    } catch (error) {
      if (isOfModel(error)) this.#until = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async *#askFirst(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelOutput, boolean> {
    let hasSpoken = false;
    try {
      for await (const output of this.#first.stream(request, signal)) {
        hasSpoken ||= output.type === 'text' && output.text.trim() !== '';
        yield output;
      }
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (hasSpoken || !isOfModel(error)) throw error;
      return false;
    }
  }

  get #active(): Model {
    return this.isFallback ? this.#second : this.#first;
  }
}

/** A request that is too long is shortened, and sent to the same model again. */
function isOfModel(error: unknown): boolean {
  return error instanceof ModelFailure && error.kind !== 'too_long';
}
