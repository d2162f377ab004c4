import type { ApiKey } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import { type QueryClient, queryOptions } from '@tanstack/react-query';

const MAX_KEYS = 100;
const INTERVAL_MS = 30_000;

const keyOf = (projectId: string) => ['project', projectId, 'api-keys'];

export function keysQuery(client: AdminClient, projectId: string) {
  return queryOptions({
    queryKey: keyOf(projectId),
    queryFn: ({ signal }): Promise<ApiKey[]> =>
      client.apiKeys.list(projectId, { limit: MAX_KEYS, signal }).toArray({ limit: MAX_KEYS }),
    refetchInterval: INTERVAL_MS,
  });
}

export function refreshKeys(queries: QueryClient, projectId: string): void {
  void queries.invalidateQueries({ queryKey: keyOf(projectId) });
}
