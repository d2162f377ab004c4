import type { Client } from '@session/client';
import type { AgentPreflight, NewAgent } from '@session/contract';
import { queryOptions } from '@tanstack/react-query';

type Problems = AgentPreflight['problems'];

/** Everything that would prevent an agent from starting now. The answer to other settings stays until there is a new one. */
export function preflightQuery(client: Client, sessionId: string, body: NewAgent) {
  return queryOptions({
    queryKey: ['session', sessionId, 'preflight', body],
    queryFn: ({ signal }): Promise<Problems> => client.agents.check(sessionId, body, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}
