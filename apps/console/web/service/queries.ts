import { isApiError, type List, type ListOptions } from '@session/client';
import {
  type DataTag,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  type UseQueryOptions,
} from '@tanstack/react-query';

export const ME_KEY = ['me'] as const;

const FRESH_MS = 2000;

/** Returns the cache of the API's answers. It sends no request while nobody is signed in. */
export function createQueries(isSignedIn: () => boolean): QueryClient {
  // Another user may have changed or removed this user's role. Reads the roles again, so that pages offer what is allowed
  // now.
  const readRolesAgain = (error: Error) => {
    if (isApiError(error, 'forbidden') || isApiError(error, 'not_found')) {
      void queries.invalidateQueries({ queryKey: ME_KEY });
    }
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (queryKey[0] !== ME_KEY[0]) readRolesAgain(error);
      },
    }),
    mutationCache: new MutationCache({ onError: readRolesAgain }),
    defaultOptions: {
      queries: {
        // A page is still shown for a moment after a sign-out.
        enabled: isSignedIn,
        // The SDK retries by itself whatever may be retried.
        retry: false,
        staleTime: FRESH_MS,
        // Whether the browser reports being online does not matter to an API on this computer.
        networkMode: 'always',
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return queries;
}

/**
 * Adds a condition to the options of a query. `enabled: true` would replace the default, and the query would run while nobody
 * is signed in.
 */
export function onlyIf(condition: boolean): { readonly enabled?: false } {
  return condition ? {} : { enabled: false };
}

const FIRST_PAGE: string | undefined = undefined;

export const BY_CURSOR = {
  initialPageParam: FIRST_PAGE,
  getNextPageParam: ({ nextCursor }: { readonly nextCursor: string | null }) =>
    nextCursor ?? undefined,
} as const;

type ProjectListName =
  | 'agent-templates'
  | 'api-keys'
  | 'env-templates'
  | 'erasures'
  | 'invitations'
  | 'members'
  | 'plan-templates'
  | 'webhooks';

interface ProjectListOptions<Item>
  extends Pick<UseQueryOptions<Item[], Error, Item[], string[]>, 'refetchInterval'> {
  readonly max: number;
  /** The size of a page; by default the API's. */
  readonly page?: number;
}

/** Returns the query of the first `max` items of a list that a project has. */
export function projectList<Item>(
  projectId: string,
  name: ProjectListName,
  list: (projectId: string, options: ListOptions) => List<Item>,
  { max, page, ...options }: ProjectListOptions<Item>,
) {
  return queryOptions({
    queryKey: ['project', projectId, name],
    queryFn: ({ signal }) => list(projectId, { limit: page, signal }).toArray({ limit: max }),
    ...options,
  });
}

/** Reads a list of a project again, and whatever else is cached under its key, such as one webhook. */
export async function refreshProjectList(
  queries: QueryClient,
  projectId: string,
  name: ProjectListName,
): Promise<void> {
  await queries.invalidateQueries({ queryKey: ['project', projectId, name] });
}

/**
 * Shows the answer to a change, then reads the query again. That cancels a read that began before the change and would
 * undo it.
 */
export function showChanged<Data>(
  queries: QueryClient,
  queryKey: DataTag<QueryKey, Data, Error>,
  changed: Data,
): void {
  queries.setQueryData<Data>(queryKey, changed);
  void queries.invalidateQueries({ queryKey, exact: true });
}
