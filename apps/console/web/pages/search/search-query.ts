import type { AdminClient } from '@session/client/admin';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';

const FIRST_PAGE: string | undefined = undefined;

export function searchQuery(client: AdminClient, projectId: string, q: string) {
  return infiniteQueryOptions({
    queryKey: ['project', projectId, 'search', q],
    queryFn: async ({ pageParam, signal }) =>
      await client.messages.search(projectId, { q, cursor: pageParam, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}
