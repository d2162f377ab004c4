import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { TraceConfig } from '../config.ts';
import type { ExportObserver } from '../traces.ts';

type Done = Parameters<SpanExporter['export']>[1];

/** Exports spans, and reports when that begins to fail and when it works again. */
class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #agent: HttpAgent;
  readonly #pending = new Set<Done>();
  #observer: ExportObserver = () => {};
  #isOk = true;

  constructor(exporter: SpanExporter, agent: HttpAgent) {
    this.#exporter = exporter;
    this.#agent = agent;
  }

  observe(observer: ExportObserver): void {
    this.#observer = observer;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#pending.add(done);
    this.#exporter.export(spans, (result) => {
      const isOk = result.error === undefined;
      if (this.#isOk !== isOk) {
        this.#isOk = isOk;
        this.#observer(result.error);
      }
      if (this.#pending.delete(done)) done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  /** Closes the connections of exports that are not over: these would keep the process alive. */
  close(): void {
    this.#observer = () => {};
    // A retry waits for a connection from now on, and nothing waits for the retry.
    this.#agent.maxSockets = 0;
    this.#agent.destroy();
    // The processor has a timer for each export that is not over.
    for (const done of this.#pending)
      done({ code: ExportResultCode.FAILED, error: new Error('closed') });
    this.#pending.clear();
  }
}

/** Returns the exporter to the receiver that `config` names. */
export function openExporter({
  url,
  protocol,
  headers,
  timeoutMs,
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
  return new ReportingExporter(exporter, agent);
}
