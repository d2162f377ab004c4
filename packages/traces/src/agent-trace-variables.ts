import type { TraceConfig } from './config.ts';
import { tracesUrl } from './config.ts';

/**
 * Returns the variables by which agents send their spans. The operator's headers are none of them, because they hold
 * tokens, and agents may be programs of others: where headers, a password or a query are needed, agents get no address, unless
 * the operator sets one for them.
 *
 * @param agentEndpoint the address of a receiver that agents reach, without any secret
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
