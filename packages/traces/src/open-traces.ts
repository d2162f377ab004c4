import type { TraceConfig } from './config.ts';
import type { TraceHost, Traces } from './traces.ts';

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
