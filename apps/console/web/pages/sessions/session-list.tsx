import { useCallback } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SessionRow } from './session-row.tsx';
import type { ListedStatus } from './sessions-query.ts';
import { StartTalkingState } from './start-talking-state.tsx';
import { useSessions } from './use-sessions.ts';

interface SessionListProps {
  readonly projectId: string;
  readonly status: ListedStatus | undefined;
  readonly onShowAll: () => void;
}

export function SessionList({ projectId, status, onShowAll }: SessionListProps) {
  const { sessions: data, error, refetch, ...more } = useSessions(projectId, status);
  return (
    <Loaded
      query={{ data, error, refetch }}
      label="sessions"
      skeleton={<SessionSkeletons />}
      isQuiet
    >
      {(sessions) =>
        sessions.length === 0 ? (
          <NoSession {...{ projectId, status, onShowAll }} />
        ) : (
          <>
            <ul
              aria-label="Sessions"
              className="divide-y divide-line rounded-card border border-line bg-surface"
            >
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </ul>
            {more.isFetchNextPageError ? (
              <ErrorNotice error={error} onRetry={() => void more.fetchNextPage()} />
            ) : null}
            {more.hasNextPage && !more.isFetchNextPageError ? (
              <MoreSessions isBusy={more.isFetchingNextPage} onMore={more.fetchNextPage} />
            ) : null}
          </>
        )
      }
    </Loaded>
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

function NoSession({ projectId, status, onShowAll }: SessionListProps) {
  if (!status) {
    return (
      <StartTalkingState title="No conversation yet." projectId={projectId}>
        Start one with the echo agent: it needs no keys, answers what you write, and every word is
        kept.
      </StartTalkingState>
    );
  }
  const isOpen = status === 'ACTIVE';
  return (
    <EmptyState
      title={isOpen ? 'No session is open.' : 'No session is closed.'}
      action={<Button onClick={onShowAll}>Show all sessions</Button>}
    >
      {isOpen ? 'All of them are closed.' : 'All of them are still open.'}
    </EmptyState>
  );
}

function SessionSkeletons() {
  return (
    <div className="divide-y divide-line rounded-card border border-line bg-surface">
      {['62%', '48%', '70%', '55%'].map((width) => (
        <div key={width} className="grid gap-2 p-4">
          <Skeleton className="h-4 w-48 max-w-full" />
          <div style={{ width }}>
            <Skeleton className="h-3" />
          </div>
        </div>
      ))}
    </div>
  );
}
