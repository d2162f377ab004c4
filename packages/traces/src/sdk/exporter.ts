import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { TraceConfig } from '../config.ts';
import type { TraceHost } from '../open-traces.ts';

type Done = Parameters<SpanExporter['export']>[1];

/** Exports spans, and reports when that begins to fail and when it works again. */
class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #agents: readonly HttpAgent[];
  readonly #onExport: TraceHost['onExport'];
  #isOk = true;
  #isClosed = false;

  constructor(
    exporter: SpanExporter,
    agents: readonly HttpAgent[],
    onExport: TraceHost['onExport'],
  ) {
    this.#exporter = exporter;
    this.#agents = agents;
    this.#onExport = onExport;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#exporter.export(spans, (result) => {
      const { error } = result;
      if (this.#isOk !== (error === undefined) && !this.#isClosed) {
        this.#isOk = error === undefined;
        this.#onExport(this.#isOk, error);
      }
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  /** Gives up what is still being exported. Its connections would keep the process alive. */
  close(): void {
    this.#isClosed = true;
    for (const agent of this.#agents) agent.destroy();
  }
}

/** Returns the exporter to the receiver that `config` names. */
export function openExporter(
  { url, protocol, headers, timeoutMs }: TraceConfig,
  onExport: TraceHost['onExport'],
): ReportingExporter {
  const agent = url.startsWith('https:')
    ? new HttpsAgent({ keepAlive: true })
    : new HttpAgent({ keepAlive: true });
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const exporter = new Exporter({
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    httpAgentOptions: () => agent,
  });
  return new ReportingExporter(exporter, [agent], onExport);
}
