import type { TraceConfig } from './config.ts';
import { tracesUrl } from './config.ts';

/**
 * Returns the variables by which agents send spans, never with the operator's headers: agents may be programs of
 * others. Where headers, a password or a query are needed, there is no address but `agentEndpoint`, one without
 * secrets.
 */
export function agentTraceVariables(
  config: TraceConfig | undefined,
  agentEndpoint: string | undefined,
): Readonly<Record<string, string>> {
  if (!config) return {};
  const { url, protocol, headers } = config;
  const { username, password, search } = new URL(url);
  const needsSecret = Object.keys(headers).length > 0 || `${username}${password}${search}` !== '';
  if (agentEndpoint === undefined && needsSecret) return {};
  return {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT:
      agentEndpoint === undefined ? url : tracesUrl(agentEndpoint),
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  };
}
