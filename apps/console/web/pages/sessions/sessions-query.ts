import { type Client, isApiError } from '@session/client';
import type { Session } from '@session/contract';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { type SessionPages, type SessionsPage, withNewest } from './newest-sessions.ts';

const PAGE_SIZE = 50;
const REFRESH_MS = 5000;
const FIRST_PAGE: string | undefined = undefined;

export type ListedStatus = Session['status'];

/** The list of a project's sessions. Its pages are read once each; `newestQuery` keeps them up to date. */
export function sessionsQuery(client: Client, projectId: string, status?: ListedStatus) {
  return infiniteQueryOptions({
    queryKey: ['project', projectId, 'sessions', status ?? 'all'],
    queryFn: async ({ pageParam, signal }): Promise<SessionsPage> => {
      const page = { limit: PAGE_SIZE, cursor: pageParam, signal };
      return await client.sessions.list(projectId, { status, ...page });
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // To read an infinite list again would be a request for each of its pages.
    staleTime: 'static',
  });
}

/** Reads the first page of a list again from time to time, and puts what is new into the list: one request, however long it is. */
export function newestQuery(
  { client, queries }: { readonly client: Client; readonly queries: QueryClient },
  projectId: string,
  status?: ListedStatus,
) {
  const { queryKey } = sessionsQuery(client, projectId, status);
  return queryOptions({
    queryKey: ['project', projectId, 'newest sessions', status ?? 'all'],
    queryFn: async ({ signal }): Promise<number> => {
      const page = await client.sessions.list(projectId, { status, limit: PAGE_SIZE, signal });
      queries.setQueryData(
        queryKey,
        (read: SessionPages | undefined) => read && withNewest(read, page),
      );
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

export function changeLists(
  queries: QueryClient,
  projectId: string,
  change: (read: SessionPages) => SessionPages,
): void {
  const queryKey = ['project', projectId, 'sessions'];
  queries.setQueriesData<SessionPages>({ queryKey }, (read) => read && change(read));
}

export async function refreshLists(queries: QueryClient, projectId: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['project', projectId, 'newest sessions'] });
}
