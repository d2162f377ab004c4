import { type Client, isApiError } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import type { Agent, AgentTimeline, AgentTurns, AgentType } from '@session/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { roleTitle } from '../sessions/role-title.ts';

const STARTING_MS = 500;
const RUNNING_MS = 4000;
const TYPES_MS = 60_000;

export function agentQuery(client: Client, id: string) {
  return queryOptions({
    queryKey: ['agent', id],
    queryFn: ({ signal }): Promise<Agent> => client.agents.get(id, { signal }),
    refetchInterval: ({ state: { data, error } }) =>
      isApiError(error, 'not_found') ? false : intervalOf(data),
  });
}

export function agentTimelineQuery(client: Client, agent: Agent) {
  const { id, status, restarts } = agent;
  return queryOptions({
    // The steps are read again when the status changes or a restart begins.
    queryKey: ['agent', id, 'timeline', status, restarts],
    queryFn: async ({ signal }): Promise<AgentTimeline['items']> =>
      (await client.agents.timeline(id, { signal })).items,
    refetchInterval: intervalOf(agent),
    placeholderData: keepPreviousData,
  });
}

export function agentTurnsQuery(client: AdminClient, agent: Agent) {
  const { id, status } = agent;
  return queryOptions({
    // The turns are read again when the agent has stopped, because its last answer may be missing.
    queryKey: ['agent', id, 'turns', status],
    queryFn: ({ signal }): Promise<AgentTurns> => client.agents.turns(id, { limit: 40, signal }),
    refetchInterval: ({ state: { error } }) =>
      isApiError(error, 'not_found') ? false : intervalOf(agent),
    placeholderData: keepPreviousData,
  });
}

export function agentTypesQuery(client: Client) {
  return queryOptions({
    queryKey: ['agent-types'],
    queryFn: ({ signal }): Promise<AgentType[]> => client.agentTypes.list({ signal }),
    staleTime: TYPES_MS,
  });
}

export function titleOf(types: readonly AgentType[] | undefined, role: string): string {
  return types?.find((type) => type.role === role)?.title ?? roleTitle(role);
}

interface KnownRole {
  readonly role: string;
  readonly capabilities?: readonly string[] | undefined;
}

/** Returns whether an agent hears what people say; true if the catalogue has no information about it. */
export function canHear(
  types: readonly KnownRole[] | undefined,
  agent: Agent | undefined,
): boolean {
  const type = types?.find(({ role }) => role === agent?.role);
  return agent?.config.echoMode !== 'text' && type?.capabilities?.includes('hearing') !== false;
}

/** Returns whether an agent reads texts; true if the catalogue has no information about it. */
export function canRead(types: readonly KnownRole[] | undefined, { role, config }: Agent): boolean {
  const type = types?.find((one) => one.role === role);
  return config.echoMode !== 'audio' && type?.capabilities?.includes('text') !== false;
}

function intervalOf(agent: Agent | undefined): number | false {
  if (agent?.status === 'Stopped') return false;
  return agent?.status === 'Starting' ? STARTING_MS : RUNNING_MS;
}
