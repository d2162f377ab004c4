import type { AuditEvent } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BY_CURSOR } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { absoluteText, momentText } from '../../ui/time-text.ts';
import type { AuditFilters } from './audit-filters.ts';
import { actionOf, auditText, sessionOf } from './audit-texts.ts';

interface AuditPage {
  readonly items: readonly AuditEvent[];
  readonly nextCursor: string | null;
}

const PAGE_SIZE = 50;

interface AuditListProps {
  readonly projectId: string;
  readonly filters: AuditFilters;
  readonly onClear: () => void;
}

export function AuditList({ projectId, filters, onClear }: AuditListProps) {
  const { client } = useService();
  const list = useInfiniteQuery(auditQuery(client, projectId, filters));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <PagedList list={list} label="Events" empty={<NoEvent {...{ isFiltered, onClear }} />}>
      {(event) => <EventRow key={event.id} projectId={projectId} event={event} />}
    </PagedList>
  );
}

interface EventRowProps {
  readonly projectId: string;
  readonly event: AuditEvent;
}

function EventRow({ projectId, event }: EventRowProps) {
  const { actor, at } = event;
  const time = Date.parse(at);
  const sessionId = sessionOf(event);
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 text-control">
      <p className="min-w-0 flex-1 basis-60 text-ink-2 wrap-anywhere">
        {actor ? (
          <Link
            to="/projects/$projectId/audit"
            params={{ projectId }}
            search={{ actor: actor.id }}
            title={`All that ${actor.name} did`}
            className="rounded-control font-medium text-ink hover:underline"
          >
            {actor.name}
          </Link>
        ) : (
          <span className="font-medium text-ink">The service</span>
        )}
        {actor?.kind === 'api_key' ? (
          <>
            {' '}
            <Badge>API key</Badge>
          </>
        ) : null}{' '}
        {auditText(event)}
        {sessionId ? (
          <>
            {' · '}
            <TextLink to="/sessions/$sessionId" params={{ sessionId }}>
              session
            </TextLink>
          </>
        ) : null}
      </p>
      <time
        dateTime={at}
        title={absoluteText(time)}
        className="text-ink-3 tabular-nums whitespace-nowrap"
      >
        {momentText(time)}
      </time>
    </li>
  );
}

interface NoEventProps {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function NoEvent({ isFiltered, onClear }: NoEventProps) {
  return isFiltered ? (
    <EmptyState
      title="No event matches."
      action={<Button onClick={onClear}>Show all events</Button>}
    >
      Events are kept for 400 days.
    </EmptyState>
  ) : (
    <EmptyState title="Nothing to show yet.">
      Members, API keys, templates, agents and ended sessions are noted here, with who did it.
    </EmptyState>
  );
}

function auditQuery(client: AdminClient, projectId: string, filters: AuditFilters) {
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
    ...BY_CURSOR,
    placeholderData: keepPreviousData,
  });
}
