import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import type { TraceConfig } from '../config.ts';
import type { ReportingExporter } from './exporter.ts';

const LAST_PAUSE_MS = 5000;

/**
 * OpenTelemetry's queue of ended spans. It drops spans that its exporter does not admit, so that the exporter knows their
 * number.
 */
export class BoundedProcessor extends BatchSpanProcessor {
  readonly #exporter: ReportingExporter;

  constructor(exporter: ReportingExporter, { delayMs, queueSize, timeoutMs }: TraceConfig) {
    super({
      exporter,
      scheduledDelayMillis: delayMs,
      maxQueueSize: queueSize,
      maxExportBatchSize: Math.min(512, queueSize),
      // Not before the exporter itself gives up: the next export would begin beside it.
      exportTimeoutMillis: timeoutMs + LAST_PAUSE_MS,
    });
    this.#exporter = exporter;
  }

  override onEnd(span: ReadableSpan): void {
    if (this.#exporter.admit()) super.onEnd(span);
  }
}
