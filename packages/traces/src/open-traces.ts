import type { TraceConfig } from './config.ts';
import type { TraceHost, Traces } from './traces.ts';

/** Returns the traces of this process; undefined, without loading OpenTelemetry, if there is no configuration. */
export async function openTraces(
  config: TraceConfig | undefined,
  host: TraceHost,
): Promise<Traces | undefined> {
  if (!config) return undefined;
  const { OtelTraces } = await import('./sdk/otel-traces.ts');
  return new OtelTraces(config, host);
}
