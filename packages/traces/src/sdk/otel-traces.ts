import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { observeSteps, withDeadline } from '@session/kit';
import type { TraceConfig } from '../config.ts';
import { readTraceparent } from '../trace-ids.ts';
import type { ExportObserver, OpenSpan, SpanOptions, TraceHost, Traces } from '../traces.ts';
import { BoundedProcessor } from './bounded-processor.ts';
import { ChosenIds } from './chosen-ids.ts';
import { openExporter } from './exporter.ts';
import { OtelSpan, timeOf } from './otel-span.ts';
import { samplerOf } from './sampler.ts';

const SHUTDOWN_MS = 2000;
const KINDS = {
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
} as const;

export class OtelTraces implements Traces {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #ids = new ChosenIds();
  readonly #current = new AsyncLocalStorage<OpenSpan | undefined>();
  readonly #exporter: ReturnType<typeof openExporter>;
  readonly #steps: Disposable;

  constructor(config: TraceConfig, { serviceName, version, instanceId }: TraceHost) {
    this.#exporter = openExporter(config);
    this.#provider = new TracerProvider({
      sampler: samplerOf(config),
      idGenerator: this.#ids,
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'service.namespace': 'session-service',
        ...(version !== undefined && { 'service.version': version }),
        'service.instance.id': instanceId,
        ...config.resource,
      }),
      spanProcessors: [new BoundedProcessor(this.#exporter, config)],
    });
    this.#tracer = this.#provider.getTracer('session-service', version);
    this.#steps = observeSteps<OpenSpan | undefined>(this.#current, {
      // Without a traced span around it, a step begins no trace.
      begin: (name) => (this.current ? this.start({ name }) : undefined),
      end(span, error) {
        if (error !== undefined) span?.fail(nameOf(error));
        span?.end();
      },
    });
  }

  get current(): OpenSpan | undefined {
    const span = this.#current.getStore();
    // Work that outlives its span, such as a loop that a request has started, does not belong to it.
    return span?.isRecording ? span : undefined;
  }

  start({
    name,
    kind = 'internal',
    parent,
    ids,
    startedAt,
    attributes = {},
  }: SpanOptions): OpenSpan {
    const above = readTraceparent(
      (parent === undefined ? this.current?.traceparent : parent) ?? '',
    );
    const context = above
      ? trace.setSpanContext(ROOT_CONTEXT, {
          traceId: above.traceId,
          spanId: above.spanId,
          traceFlags: above.isSampled ? 1 : 0,
          isRemote: parent !== undefined,
        })
      : ROOT_CONTEXT;
    const options = {
      kind: KINDS[kind],
      attributes,
      startTime: timeOf(startedAt),
    };
    return new OtelSpan(this.#ids.with(ids, () => this.#tracer.startSpan(name, options, context)));
  }

  within<Result>(span: OpenSpan, work: () => Result): Result {
    return this.#current.run(span, work);
  }

  observeExports(observer: ExportObserver): void {
    this.#exporter.observe(observer);
  }

  async flush(): Promise<void> {
    await this.#provider.forceFlush().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#steps[Symbol.dispose]();
    const ended = this.#provider.shutdown().catch(() => {});
    await withDeadline(ended, SHUTDOWN_MS).catch(() => {});
    this.#exporter.close();
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'error';
}
