import type { TraceConfig } from './config.ts';
import type { Traces } from './traces.ts';

/** The process that is traced. */
export interface TraceHost {
  /** The name of the service, unless the operator sets another one. */
  readonly serviceName: string;
  readonly version?: string;
  /** Distinguishes this process from others of the service. */
  readonly instanceId: string;
}

/**
 * Returns where this process begins its spans; undefined without a configuration. OpenTelemetry's packages are loaded only
 * with one: a process that is not traced spends neither time nor memory on them.
 */
export async function openTraces(
  config: TraceConfig | undefined,
  host: TraceHost,
): Promise<Traces | undefined> {
  if (!config) return undefined;
  const { OtelTraces } = await import('./sdk/otel-traces.ts');
  return new OtelTraces(config, host);
}
