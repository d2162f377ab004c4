import type { Erasure } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import { type QueryClient, queryOptions } from '@tanstack/react-query';

const SHOWN = 200;
const OPEN_INTERVAL_MS = 2000;
const INTERVAL_MS = 30_000;

const keyOf = (projectId: string) => ['project', projectId, 'erasures'];

export function erasuresQuery(client: AdminClient, projectId: string) {
  return queryOptions({
    queryKey: keyOf(projectId),
    queryFn: ({ signal }): Promise<Erasure[]> =>
      client.erasures.list(projectId, { signal }).toArray({ limit: SHOWN }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status !== 'done') ? OPEN_INTERVAL_MS : INTERVAL_MS,
  });
}

export function refreshErasures(queries: QueryClient, projectId: string): void {
  void queries.invalidateQueries({ queryKey: keyOf(projectId) });
}
