import type { TraceConfig } from './config.ts';
import { tracesUrl } from './config.ts';

/**
 * Returns the variables with which agents send spans, without the operator's headers, because agents may be programs of
 * other people. If the receiver needs headers, a password or a query, agents only get `agentEndpoint`, an address
 * without secrets.
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
