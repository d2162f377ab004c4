import type { AdminClient } from '@session/client/admin';
import type { Statistics } from '@session/contract';
import { queryOptions } from '@tanstack/react-query';

const INTERVAL_MS = 5000;

export function statisticsQuery(client: AdminClient) {
  return queryOptions({
    queryKey: ['statistics'],
    queryFn: ({ signal }): Promise<Statistics> => client.monitoring.stats({ signal }),
    refetchInterval: INTERVAL_MS,
  });
}
