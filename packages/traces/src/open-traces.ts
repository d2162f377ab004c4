import type { TraceConfig } from './config.ts';
import type { TraceHost, Traces } from './traces.ts';

/** Returns where this process begins its spans; undefined, without loading OpenTelemetry, without a configuration. */
export async function openTraces(
  config: TraceConfig | undefined,
  host: TraceHost,
): Promise<Traces | undefined> {
  if (!config) return undefined;
  const { OtelTraces } = await import('./sdk/otel-traces.ts');
  return new OtelTraces(config, host);
}
