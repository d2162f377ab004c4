import type { FoundMessages } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BY_CURSOR } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { absoluteText, momentText } from '../../ui/time-text.ts';
import { senderName } from './sender-name.ts';

type FoundMessage = FoundMessages['items'][number];

interface FoundListProps {
  readonly projectId: string;
  readonly q: string;
  readonly onClear: () => void;
}

export function FoundList({ projectId, q, onClear }: FoundListProps) {
  const { client } = useService();
  const list = useInfiniteQuery(searchQuery(client, projectId, q));
  return (
    <PagedList
      list={list}
      label="Messages"
      notice={<Lag sessions={list.data?.pages[0]?.lag.sessions ?? 0} />}
      empty={<NoMessage onClear={onClear} />}
    >
      {(hit) => <FoundRow key={`${hit.sessionId}/${hit.message.id}`} hit={hit} />}
    </PagedList>
  );
}

function NoMessage({ onClear }: Pick<FoundListProps, 'onClear'>) {
  return (
    <EmptyState
      title="Nobody said that."
      action={<Button onClick={onClear}>Clear the search</Button>}
    >
      Words are found as a whole, in texts and in speech, whatever their case. With a language of
      the search, which an admin chooses for the project, their other forms are found too.
    </EmptyState>
  );
}

function Lag({ sessions }: { readonly sessions: number }) {
  if (sessions === 0) return null;
  const count = sessions < 1000 ? sessions : 'at least 1,000';
  return (
    <output className="text-control text-ink-2">
      Messages may be missing: {count} {sessions === 1 ? 'session is' : 'sessions are'} still being
      indexed.
    </output>
  );
}

function FoundRow({ hit }: { readonly hit: FoundMessage }) {
  const { sessionId, sessionName, message, snippet, highlights } = hit;
  const time = Date.parse(message.timestamp);
  return (
    <li>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId }}
        search={{ at: message.timestamp }}
        className="grid gap-1 px-4 py-3 transition-colors hover:bg-sunken/70"
      >
        <span className="flex flex-wrap items-baseline gap-x-4 text-control text-ink-2">
          <span className="min-w-0 flex-1 wrap-anywhere">
            {senderName(message)} in {sessionName}
          </span>
          <time dateTime={message.timestamp} title={absoluteText(time)} className="text-ink-3">
            {momentText(time)}
          </time>
        </span>
        <span className="wrap-anywhere">{marked(snippet, highlights)}</span>
      </Link>
    </li>
  );
}

function marked(snippet: string, highlights: readonly (readonly number[])[]): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const [start = 0, length = 0] of highlights) {
    parts.push(snippet.slice(end, start));
    end = start + length;
    parts.push(
      <mark key={start} className="rounded-control bg-iris-soft text-ink">
        {snippet.slice(start, end)}
      </mark>,
    );
  }
  return [...parts, snippet.slice(end)];
}

function searchQuery(client: AdminClient, projectId: string, q: string) {
  return infiniteQueryOptions({
    queryKey: ['project', projectId, 'search', q],
    queryFn: async ({ pageParam, signal }) =>
      await client.messages.search(projectId, { q, cursor: pageParam, signal }),
    ...BY_CURSOR,
    placeholderData: keepPreviousData,
  });
}
