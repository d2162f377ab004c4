import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';
import type { SpanIds } from '../traces.ts';

export class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #chosen: SpanIds | undefined;

  with<Result>(ids: SpanIds | undefined, start: () => Result): Result {
    this.#chosen = ids;
    try {
      return start();
    } finally {
      this.#chosen = undefined;
    }
  }

  generateTraceId(): string {
    return this.#chosen?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#chosen?.spanId ?? this.#random.generateSpanId();
  }
}
