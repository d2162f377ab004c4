import { readTraceConfig } from '../src/config.ts';
import { openTraces } from '../src/open-traces.ts';
import type { Traces } from '../src/traces.ts';

/** Returns the variables by which a program exports its spans to a receiver every 50 ms. */
export function traceEnv({ url }: { readonly url: string }): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
}

/** Returns traces that are exported to a receiver. */
export async function tracesTo(
  receiver: { readonly url: string },
  env: NodeJS.ProcessEnv = {},
): Promise<Traces> {
  const config = readTraceConfig({ ...traceEnv(receiver), ...env });
  const host = { serviceName: 'test', version: '0', instanceId: 'test' };
  const traces = await openTraces(config, host);
  if (!traces) throw new Error('the variables switch traces off');
  return traces;
}
