import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { onlyIf } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { isSearch, NO_FILTERS, type SessionFilters } from './session-filters.ts';
import { newestQuery, sessionsQuery } from './sessions-query.ts';

/**
 * Returns the sessions of a project. With new filters, the sessions of the former filters are shown until the first answer.
 */
export function useSessions(projectId: string, filters?: SessionFilters) {
  const service = useService();
  const { client } = service;
  const asked = filters ?? NO_FILTERS;
  const list = useInfiniteQuery({
    ...sessionsQuery(client, projectId, asked),
    ...(filters && { placeholderData: keepPreviousData }),
  });
  const isRefreshed = list.data !== undefined && !isSearch(asked);
  useQuery({ ...newestQuery(service, projectId, asked), ...onlyIf(isRefreshed) });
  const sessions = list.data?.pages.flatMap(({ items }) => items);
  return { ...list, sessions };
}
