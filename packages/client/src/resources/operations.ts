import { type CallOptions, reading } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';
import type { AgentType, Health, Statistics } from '../shapes.ts';

export interface ServiceInfo {
  readonly name: string;
  readonly version: string;
  readonly documentation: string | null;
}

export function agentTypesOf(transport: Transport) {
  return {
    list: (options?: CallOptions) => transport.json<AgentType[]>(reading('/agent-types', options)),
  };
}

export function monitoringOf(transport: Transport) {
  return {
    stats: (options?: CallOptions) =>
      transport.json<Statistics>(reading('/monitoring/stats', options)),
  };
}

export function serviceOf(transport: Transport) {
  return {
    info: (options?: CallOptions) =>
      transport.json<ServiceInfo>({ ...reading('/', options), isPublic: true }),
    /** Returns the service's health. `unavailable` is also an answer, not an error. */
    health: (options?: CallOptions) =>
      transport.json<Health>({
        ...reading('/health', options),
        isPublic: true,
        acceptedStatus: 503,
      }),
  };
}
