import type { AuditEvent } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { AuditFilters } from './audit-filters.ts';
import { actionOf } from './audit-texts.ts';

interface AuditPage {
  readonly items: readonly AuditEvent[];
  readonly nextCursor: string | null;
}

const PAGE_SIZE = 50;
const FIRST_PAGE: string | undefined = undefined;

export function auditQuery(client: AdminClient, projectId: string, filters: AuditFilters) {
  return infiniteQueryOptions({
    queryKey: ['project', projectId, 'audit', filters],
    queryFn: async ({ pageParam, signal }): Promise<AuditPage> =>
      await client.audit.list(projectId, {
        action: actionOf(filters.action),
        actor: filters.actor,
        limit: PAGE_SIZE,
        cursor: pageParam,
        signal,
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}
