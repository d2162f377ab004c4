import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { TraceConfig } from '../config.ts';
import type { ExportObserver } from '../traces.ts';

const QUEUE_FULL = Object.assign(new Error('the queue is full'), { code: 'queue_full' });

type Done = Parameters<SpanExporter['export']>[1];

export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #agent: HttpAgent;
  readonly #queueSize: number;
  readonly #pending = new Set<Done>();
  #observer: ExportObserver = () => {};
  #isOk = true;
  #waiting = 0;
  #dropped = 0;
  #wasFull = false;

  constructor(exporter: SpanExporter, agent: HttpAgent, queueSize: number) {
    this.#exporter = exporter;
    this.#agent = agent;
    this.#queueSize = queueSize;
  }

  /**
   * Takes a place in the queue for one more span. Returns false, and counts the span as dropped, when there is none.
   */
  admit(): boolean {
    if (this.#waiting < this.#queueSize) {
      this.#waiting += 1;
      return true;
    }
    this.#dropped += 1;
    this.#wasFull = true;
    return false;
  }

  observe(observer: ExportObserver): void {
    this.#observer = observer;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#pending.add(done);
    this.#waiting -= spans.length;
    this.#exporter.export(spans, (result) => {
      if (result.error) this.#dropped += spans.length;
      this.#report(result.error ?? (this.#wasFull ? QUEUE_FULL : undefined));
      this.#wasFull = false;
      if (this.#pending.delete(done)) done(result);
    });
  }

  #report(error: Error | undefined): void {
    const isOk = error === undefined;
    if (this.#isOk === isOk) return;
    this.#isOk = isOk;
    this.#observer({ error, dropped: this.#dropped });
    this.#dropped = 0;
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  /** Closes the connections of unfinished exports, which would keep the process alive. */
  close(): void {
    this.#observer = () => {};
    // From now on a retry waits for a connection, and nothing waits for the retry.
    this.#agent.maxSockets = 0;
    this.#agent.destroy();
    // The processor has a timer for each unfinished export.
    for (const done of this.#pending)
      done({ code: ExportResultCode.FAILED, error: new Error('closed') });
    this.#pending.clear();
  }
}

export function openExporter({
  url,
  protocol,
  headers,
  timeoutMs,
  queueSize,
}: TraceConfig): ReportingExporter {
  const Agent = url.startsWith('https:') ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true });
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const exporter = new Exporter({
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    httpAgentOptions: () => agent,
  });
  return new ReportingExporter(exporter, agent, queueSize);
}
