/**
 * The attributes of a span. They never contain words, names, tokens, addresses or values of a template, because the
 * operator of the service reads them.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

export interface SpanOptions {
  /** Of low cardinality: without ids and values. */
  readonly name: string;
  readonly kind?: 'client' | 'internal' | 'server';
  /** A `traceparent`; by default, the current span. Null or an invalid text begins a trace. */
  readonly parent?: string | null | undefined;
  /**
   * Chosen ids, so that other processes can refer to the span before its end. With a parent, only the span's own id
   * counts.
   */
  readonly ids?: SpanIds;
  readonly startedAt?: number;
  readonly attributes?: SpanAttributes;
}

export interface OpenSpan {
  readonly traceparent: string;
  /** Whether the span will be exported: its trace is sampled, and the span has not ended. */
  readonly isRecording: boolean;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. `type` is a code or the name of a class, and never a message. */
  fail(type: string): void;
  end(endedAt?: number): void;
}

export interface ExportReport {
  /** Why spans are dropped from now on; undefined when all are exported again. */
  readonly error: Error | undefined;
  readonly dropped: number;
}

export type ExportObserver = (report: ExportReport) => void;

/** Where a traced process begins its spans. Disposal exports the last ones, within a time limit. */
export interface Traces extends AsyncDisposable {
  start(options: SpanOptions): OpenSpan;
  readonly current: OpenSpan | undefined;
  /** Calls `work` with `span` as the current span, also in everything that `work` awaits. */
  within<Result>(span: OpenSpan, work: () => Result): Result;
  /** Calls `observer` when spans begin to be dropped, and when all are exported again, but not for each failure. */
  observeExports(observer: ExportObserver): void;
  /** Exports the ended spans now instead of with the next batch. Never rejects. */
  flush(): Promise<void>;
}

export interface TraceHost {
  readonly serviceName: string;
  readonly version?: string;
  readonly instanceId: string;
}
