import { useCallback, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { Dimmed } from '../../ui/dimmed.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { isSearch, type SessionFilters, searchedText, soughtText } from './session-filters.ts';
import { SessionRow } from './session-row.tsx';
import { PAGE_SIZE } from './sessions-query.ts';
import { StartTalkingState } from './start-talking-state.tsx';
import { useSessions } from './use-sessions.ts';

interface SessionListProps {
  readonly projectId: string;
  readonly filters: SessionFilters;
  readonly onClear: () => void;
}

export function SessionList({ projectId, filters, onClear }: SessionListProps) {
  const list = useSessions(projectId, filters);
  const shown = useShownFilters(filters, list.isPlaceholderData);
  const { sessions: data, error, errorUpdatedAt, isFetching, refetch } = list;
  const { hasNextPage, isPlaceholderData } = list;
  return (
    <Loaded
      query={{ data, error, errorUpdatedAt, isFetching, refetch }}
      label="sessions"
      skeleton={<SessionSkeletons />}
      isQuiet
    >
      {(sessions) => (
        <Dimmed isDimmed={isPlaceholderData}>
          {sessions.length > 0 ? (
            <CardList label="Sessions">
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </CardList>
          ) : null}
          {sessions.length === 0 && !hasNextPage ? (
            <NoSession {...{ projectId, onClear }} filters={shown} />
          ) : null}
          <More list={list} filters={shown} />
          <Found list={list} filters={shown} />
        </Dimmed>
      )}
    </Loaded>
  );
}

function useShownFilters(filters: SessionFilters, isFormer: boolean): SessionFilters {
  const [shown, setShown] = useState(filters);
  if (!isFormer && shown !== filters) setShown(filters);
  return isFormer ? shown : filters;
}

interface MoreProps {
  readonly list: ReturnType<typeof useSessions>;
  readonly filters: SessionFilters;
}

function More({ list, filters }: MoreProps) {
  const { data, error, hasNextPage, isFetchingNextPage, isPlaceholderData } = list;
  if (list.isFetchNextPageError)
    return <ErrorNotice error={error} onRetry={() => void list.fetchNextPage()} />;
  const last = data?.pages.at(-1);
  if (!hasNextPage || isPlaceholderData || !last?.nextCursor) return null;
  // The API looks at a limited number of sessions for each request, so a page of a search may be short.
  const isShort = isSearch(filters) && last.items.length < PAGE_SIZE;
  return isShort ? (
    <div className="flex flex-wrap items-center gap-3 rounded-card border border-line bg-surface px-4 py-3 text-control text-ink-2">
      <p className="min-w-0 flex-1 basis-60">
        {list.sessions?.length === 0 ? 'Nothing found yet. ' : null}
        Searched {searchedText(filters, last.nextCursor)}.
      </p>
      <Button size="small" isBusy={isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Go on
      </Button>
    </div>
  ) : (
    <MoreSessions isBusy={isFetchingNextPage} onMore={list.fetchNextPage} />
  );
}

function Found({ list: { sessions, hasNextPage, isPlaceholderData }, filters }: MoreProps) {
  const count = sessions?.length ?? 0;
  const text = count === 1 ? '1 session' : `${count}${hasNextPage ? ' or more' : ''} sessions`;
  return (
    <output className="sr-only">{isSearch(filters) && !isPlaceholderData ? text : null}</output>
  );
}

interface MoreSessionsProps {
  readonly isBusy: boolean;
  readonly onMore: () => Promise<unknown>;
}

function MoreSessions({ isBusy, onMore }: MoreSessionsProps) {
  const watch = useCallback(
    (element: HTMLElement | null) => {
      if (!element || isBusy) return undefined;
      const observer = new IntersectionObserver(
        ([entry]) => entry?.isIntersecting && void onMore(),
        { rootMargin: '400px' },
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    [isBusy, onMore],
  );
  return (
    <div ref={watch} className="flex justify-center py-2">
      <Button variant="quiet" isBusy={isBusy} onClick={() => void onMore()}>
        Show older sessions
      </Button>
    </div>
  );
}

function NoSession({ projectId, filters, onClear }: SessionListProps) {
  const { order: _, ...sought } = filters;
  if (isSearch(sought)) {
    return (
      <EmptyState
        title="No session matches."
        action={<Button onClick={onClear}>Clear the search</Button>}
      >
        <p className="wrap-anywhere">Sought: {soughtText(sought)}.</p>
      </EmptyState>
    );
  }
  if (!filters.status) {
    return (
      <StartTalkingState title="No conversation yet." projectId={projectId}>
        Start one with the echo agent: it needs no keys, answers what you write, and every word is
        kept.
      </StartTalkingState>
    );
  }
  const isOpen = filters.status === 'ACTIVE';
  return (
    <EmptyState
      title={isOpen ? 'No session is open.' : 'No session is closed.'}
      action={<Button onClick={onClear}>Show all sessions</Button>}
    >
      {isOpen ? 'All of them are closed.' : 'All of them are still open.'}
    </EmptyState>
  );
}

function SessionSkeletons() {
  return (
    <CardList as="div">
      {['62%', '48%', '70%', '55%'].map((width) => (
        <div key={width} className="grid gap-2 p-4">
          <Skeleton className="h-4 w-48 max-w-full" />
          <div style={{ width }}>
            <Skeleton className="h-3" />
          </div>
        </div>
      ))}
    </CardList>
  );
}
