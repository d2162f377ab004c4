import type { Client } from '@session/client';
import type { Me } from '@session/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ME_KEY } from './queries.ts';
import { useService } from './service.ts';

const FRESH_MS = 30_000;

/** Who is signed in, with all projects and the role in each. */
export function meQuery(client: Client) {
  return queryOptions({
    queryKey: ME_KEY,
    queryFn: ({ signal }): Promise<Me> => client.auth.me({ signal }),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}

/** Returns who is signed in; undefined until that is known. */
export function useMe(): Me | undefined {
  const { client } = useService();
  return useQuery(meQuery(client)).data;
}

/** Returns the role of the signed-in user in a project; undefined until it is known, and where there is none. */
export function useRole(projectId: string | undefined): string | undefined {
  return useMembership(projectId)?.role;
}

/** Returns the name of a project of the signed-in user; undefined until it is known, and of other projects. */
export function useProjectName(projectId: string): string | undefined {
  return useMembership(projectId)?.project.name;
}

function useMembership(projectId: string | undefined) {
  return useMe()?.projectMemberships.find((membership) => membership.projectId === projectId);
}
