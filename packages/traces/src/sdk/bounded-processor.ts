import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import type { TraceConfig } from '../config.ts';
import type { ReportingExporter } from './exporter.ts';

const LAST_PAUSE_MS = 5000;

/**
 * OpenTelemetry's queue of ended spans. Drops spans that its exporter does not admit, so that the exporter can count
 * them.
 */
export class BoundedProcessor extends BatchSpanProcessor {
  readonly #exporter: ReportingExporter;

  constructor(exporter: ReportingExporter, { delayMs, queueSize, timeoutMs }: TraceConfig) {
    super({
      exporter,
      scheduledDelayMillis: delayMs,
      maxQueueSize: queueSize,
      maxExportBatchSize: Math.min(512, queueSize),
      // Longer than the exporter's own limit. Otherwise the next export would begin at the same time.
      exportTimeoutMillis: timeoutMs + LAST_PAUSE_MS,
    });
    this.#exporter = exporter;
  }

  override onEnd(span: ReadableSpan): void {
    if (this.#exporter.admit()) super.onEnd(span);
  }
}
