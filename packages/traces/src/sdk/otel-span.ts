import { type Span as ApiSpan, type HrTime, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { joinTraceparent } from '../trace-ids.ts';
import type { OpenSpan, SpanAttributes } from '../traces.ts';

export class OtelSpan implements OpenSpan {
  readonly #span: ApiSpan;
  readonly traceparent: string;

  constructor(span: ApiSpan) {
    this.#span = span;
    const { traceFlags, ...ids } = span.spanContext();
    this.traceparent = joinTraceparent(ids, (traceFlags & TraceFlags.SAMPLED) !== 0);
  }

  get isRecording(): boolean {
    return this.#span.isRecording();
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(type: string): void {
    this.#span.setAttribute('error.type', type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(endedAt?: number): void {
    this.#span.end(timeOf(endedAt));
  }
}

/**
 * Returns a time as seconds and nanoseconds. `milliseconds` is since the epoch (default: now). The SDK would interpret
 * a number before the process's start as relative to that start.
 */
export function timeOf(milliseconds = performance.timeOrigin + performance.now()): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1_000_000)];
}
