import type { Member } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import { queryOptions } from '@tanstack/react-query';

const PAGE = 100;
const MAX_MEMBERS = 1000;
const INTERVAL_MS = 30_000;

export function membersQuery(client: AdminClient, projectId: string) {
  return queryOptions({
    queryKey: ['project', projectId, 'members'],
    queryFn: ({ signal }): Promise<Member[]> =>
      client.members.list(projectId, { limit: PAGE, signal }).toArray({ limit: MAX_MEMBERS }),
    refetchInterval: INTERVAL_MS,
  });
}
