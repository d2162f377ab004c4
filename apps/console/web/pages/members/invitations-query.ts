import type { Invitation } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import { type QueryClient, queryOptions } from '@tanstack/react-query';

const MAX_INVITATIONS = 1000;
const PAGE = 100;
const INTERVAL_MS = 30_000;

const keyOf = (projectId: string) => ['project', projectId, 'invitations'];

export function invitationsQuery(client: AdminClient, projectId: string) {
  return queryOptions({
    queryKey: keyOf(projectId),
    queryFn: ({ signal }): Promise<Invitation[]> =>
      client.invitations
        .list(projectId, { limit: PAGE, signal })
        .toArray({ limit: MAX_INVITATIONS }),
    refetchInterval: INTERVAL_MS,
  });
}

export function refreshInvitations(queries: QueryClient, projectId: string): void {
  void queries.invalidateQueries({ queryKey: keyOf(projectId) });
}
