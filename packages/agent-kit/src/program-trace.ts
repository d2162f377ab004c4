import { randomUUID } from 'node:crypto';
import { StartError } from '@session/kit';
import { type OpenSpan, openTraces, readTraceConfig, type Traces } from '@session/traces';

/** Traces the start of an agent's program until the agent is in its room, as a part of the trace in `TRACEPARENT`. */
export class ProgramTrace implements AsyncDisposable {
  readonly #traces: Traces | undefined;
  readonly #span: OpenSpan | undefined;

  private constructor(traces?: Traces, span?: OpenSpan) {
    this.#traces = traces;
    this.#span = span;
  }

  static async open(
    role: string,
    env: NodeJS.ProcessEnv,
    log: (line: string) => void,
  ): Promise<ProgramTrace> {
    const parent = env['TRACEPARENT'];
    if (!parent) return new ProgramTrace();
    try {
      const instanceId = env['AGENT_ID'] || randomUUID();
      const traces = await openTraces(readTraceConfig(env), { serviceName: role, instanceId });
      const startedAt = performance.timeOrigin;
      const span = traces?.start({ name: 'run program', parent, startedAt });
      traces?.start({ name: 'load program', parent: span?.traceparent, startedAt }).end();
      return new ProgramTrace(traces, span);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      log(`tracing switched off: ${error.message}`);
      return new ProgramTrace();
    }
  }

  within<Result>(work: () => Result): Result {
    return this.#traces && this.#span ? this.#traces.within(this.#span, work) : work();
  }

  joined(): void {
    this.#span?.end();
    // Nothing more is traced, so the end of the agent does not wait for its spans.
    void this.#traces?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#span?.isRecording) return;
    this.#span.fail('not_joined');
    this.#span.end();
    await this.#traces?.[Symbol.asyncDispose]();
  }
}
