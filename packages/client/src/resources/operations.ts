import type { AgentType, Health, Statistics } from '@session/contract';
import { type CallOptions, reading } from '../http/call.ts';
import type { Transport } from '../http/transport.ts';

/** What a service says of itself. */
export interface ServiceInfo {
  readonly name: string;
  readonly version: string;
  /** Where its documentation is; null when it serves none. */
  readonly documentation: string | null;
}

/** The roles that agents can have. */
export function agentTypesOf(transport: Transport) {
  return {
    /** Returns every role, and whether its program is installed. */
    list: (options?: CallOptions) =>
      transport.json<AgentType[]>({ ...reading(options), path: '/agent-types' }),
  };
}

/** What goes on in the caller's projects. */
export function monitoringOf(transport: Transport) {
  return {
    stats: (options?: CallOptions) =>
      transport.json<Statistics>({ ...reading(options), path: '/monitoring/stats' }),
  };
}

/** The service itself. Both methods need no token. */
export function serviceOf(transport: Transport) {
  return {
    info: (options?: CallOptions) =>
      transport.json<ServiceInfo>({ ...reading(options), path: '/', isPublic: true }),
    /** Returns the service's health, also when it is `unavailable`. */
    health: (options?: CallOptions) => {
      const asking = { ...reading(options), isPublic: true, acceptedStatus: 503 };
      return transport.json<Health>({ ...asking, path: '/health' });
    },
  };
}
