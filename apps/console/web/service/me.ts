import type { Client } from '@session/client';
import type { Me } from '@session/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ME_KEY } from './queries.ts';
import { useService } from './service.ts';

const FRESH_MS = 30_000;

export function meQuery(client: Client) {
  return queryOptions({
    queryKey: ME_KEY,
    queryFn: ({ signal }): Promise<Me> => client.auth.me({ signal }),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}

export function useMe(): Me | undefined {
  const { client } = useService();
  return useQuery(meQuery(client)).data;
}

export function useRole(projectId: string | undefined): string | undefined {
  return useMembership(projectId)?.role;
}

export function useProjectName(projectId: string): string | undefined {
  return useMembership(projectId)?.project.name;
}

function useMembership(projectId: string | undefined) {
  return useMe()?.projectMemberships.find((membership) => membership.projectId === projectId);
}
