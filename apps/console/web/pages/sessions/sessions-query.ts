import { type Client, isApiError } from '@session/client';
import {
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import { BY_CURSOR } from '../../service/queries.ts';
import { type SessionPages, type SessionsPage, withNewest } from './newest-sessions.ts';
import { isSearch, optionsOf, type SessionFilters } from './session-filters.ts';

export const PAGE_SIZE = 50;
const REFRESH_MS = 5000;

/**
 * The list of a project's sessions. Without a search, each page is read once, and `newestQuery` keeps the list up to date.
 * The results of a search are read again when their page is shown again.
 */
export function sessionsQuery(client: Client, projectId: string, filters: SessionFilters) {
  return infiniteQueryOptions({
    queryKey: ['project', projectId, 'sessions', filters],
    queryFn: async ({ pageParam, signal }): Promise<SessionsPage> => {
      const page = { limit: PAGE_SIZE, cursor: pageParam, signal };
      return await client.sessions.list(projectId, { ...optionsOf(filters), ...page });
    },
    ...BY_CURSOR,
    // Reading an infinite list again would take one request for each of its pages.
    ...(!isSearch(filters) && { staleTime: 'static' as const }),
  });
}

/** Reads the first page of a list from time to time, and merges it into the list, with one request however long the list is. */
export function newestQuery(
  { client, queries }: { readonly client: Client; readonly queries: QueryClient },
  projectId: string,
  filters: SessionFilters,
) {
  const { queryKey } = sessionsQuery(client, projectId, filters);
  return queryOptions({
    queryKey: ['project', projectId, 'newest sessions', filters],
    queryFn: async ({ signal }): Promise<number> => {
      const options = { ...optionsOf(filters), limit: PAGE_SIZE, signal };
      const page = await client.sessions.list(projectId, options);
      changeRead(queries, { queryKey, exact: true }, (read) => withNewest(read, page));
      return page.items.length;
    },
    initialData: 0,
    staleTime: REFRESH_MS,
    // Each observer counts from the last answer, so that several of them make one request.
    refetchInterval: ({ state: { dataUpdatedAt, errorUpdatedAt, error } }) =>
      isApiError(error, 'not_found')
        ? false
        : Math.max(Math.max(dataUpdatedAt, errorUpdatedAt) + REFRESH_MS - Date.now(), 1000),
  });
}

/**
 * Changes the lists of a project's sessions. A running read of the newest ones would undo the change, so it is restarted. A
 * running read of older ones continues, and its result is changed as well.
 */
export function changeLists(
  queries: QueryClient,
  projectId: string,
  change: (read: SessionPages) => SessionPages,
): void {
  changeRead(queries, { queryKey: ['project', projectId, 'sessions'] }, change);
  void refreshLists(queries, projectId);
}

/** A read of older sessions ends with the pages from which it started, so they are changed again afterwards. */
function changeRead(
  queries: QueryClient,
  lists: { readonly queryKey: QueryKey; readonly exact?: boolean },
  change: (read: SessionPages) => SessionPages,
): void {
  const changeData = (read: SessionPages | undefined) => read && change(read);
  queries.setQueriesData<SessionPages>(lists, changeData);
  for (const list of queries.getQueryCache().findAll({ ...lists, fetchStatus: 'fetching' })) {
    // A read that fails adds nothing.
    void list.promise?.then(() => queries.setQueryData(list.queryKey, changeData)).catch(() => {});
  }
}

export async function refreshLists(queries: QueryClient, projectId: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['project', projectId, 'newest sessions'] });
}
