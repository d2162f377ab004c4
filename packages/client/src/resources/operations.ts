import { type CallOptions, reading } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';
import type { AgentType, Health, Statistics } from '../shapes.ts';

/** What the service says about itself. */
export interface ServiceInfo {
  readonly name: string;
  readonly version: string;
  /** The address of the documentation; null when the service has none. */
  readonly documentation: string | null;
}

export function agentTypesOf(transport: Transport) {
  return {
    /** Returns every role, and whether its program is installed. */
    list: (options?: CallOptions) => transport.json<AgentType[]>(reading('/agent-types', options)),
  };
}

export function monitoringOf(transport: Transport) {
  return {
    stats: (options?: CallOptions) =>
      transport.json<Statistics>(reading('/monitoring/stats', options)),
  };
}

/** The service itself. Its methods need no token. */
export function serviceOf(transport: Transport) {
  return {
    info: (options?: CallOptions) =>
      transport.json<ServiceInfo>({ ...reading('/', options), isPublic: true }),
    /** Returns the service's health. A service that is `unavailable` is an answer, and no error. */
    health: (options?: CallOptions) =>
      transport.json<Health>({
        ...reading('/health', options),
        isPublic: true,
        acceptedStatus: 503,
      }),
  };
}
