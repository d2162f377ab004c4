import type { ConversationMode } from '@session/client';
import { browserRoom } from '@session/client/browser';
import { useConversation } from '@session/client/react';
import type { Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useProjectName } from '../../service/me.ts';
import { isMissing, useService } from '../../service/service.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { MissingState } from '../../ui/missing-state.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { Tape } from '../../ui/tape.tsx';
import { shareOf } from '../../ui/tape-geometry.ts';
import { isRecorded, tapeSpan } from '../../ui/tape-span.ts';
import { useNow } from '../../ui/use-now.ts';
import { SessionHeader } from './header/session-header.tsx';
import { LiveConversation } from './live-conversation.tsx';
import { useHistoryEntry, wasOperator } from './operator-mark.ts';
import { SessionActions } from './session-actions.tsx';
import { SessionPanel } from './session-panel.tsx';
import { sessionQuery } from './session-queries.ts';
import { RowsSkeleton, SessionSkeleton } from './session-skeleton.tsx';
import { type ShownMoment, useMoment } from './use-moment.ts';

const LIVE_EDGE = 0.99;

export function SessionPage() {
  const { sessionId } = useParams({ from: '/signed-in/sessions/$sessionId' });
  return <SessionById key={sessionId} sessionId={sessionId} />;
}

function SessionById({ sessionId }: { readonly sessionId: string }) {
  const { client } = useService();
  const { data, error, refetch } = useQuery(sessionQuery(client, sessionId));
  if (isMissing(error)) return <MissingSession last={data} />;
  if (data) return <OpenSession session={data} />;
  if (!error) return <SessionSkeleton />;
  return (
    <div className="p-4 sm:p-6">
      <h1 className="mb-4 font-strong text-title">Session</h1>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </div>
  );
}

/**
 * The page of an existing session. A user who opens it only reads, and joins the room with the first message, the
 * microphone or *Join*. A user who has just started a conversation joins at once, and so does an operator who has
 * reloaded the page. The microphone waits for its button.
 */
function OpenSession({ session }: { readonly session: Session }) {
  const { client } = useService();
  const [room] = useState(() => browserRoom());
  // A session that was closed before has no room. If the session is closed while the page is open, the conversation
  // stays.
  const [hasRoom] = useState(session.status !== 'CLOSED');
  const isForWriting = useLocation({ select: ({ state }) => state.isForWriting === true });
  const entry = useHistoryEntry();
  const [mode] = useState<ConversationMode>(() => {
    if (wasOperator(entry)) return 'operator';
    return isForWriting ? 'join' : 'history';
  });
  const conversation = useConversation(client, session.id, hasRoom ? room : undefined, mode);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const moment = useMoment();
  usePageTitle(session.name, useProjectName(session.projectId));
  return (
    <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_320px]">
      <div className="flex min-h-0 flex-col">
        <SessionHeader session={session} onPanel={() => setSheetOpen(true)} />
        <SessionTape session={session} moment={moment} />
        {conversation ? (
          <LiveConversation {...{ session, conversation, room, moment }} />
        ) : (
          <RowsSkeleton />
        )}
      </div>
      <aside
        aria-label="About this session"
        className="hidden min-h-0 overflow-y-auto border-line border-s lg:block"
      >
        <SessionPanel {...{ session, conversation, room }} />
      </aside>
      <SessionActions session={session} room={room} />
      <Sheet isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} label="About this session">
        <SessionPanel {...{ session, conversation, room }} />
      </Sheet>
    </div>
  );
}

interface SessionTapeProps {
  readonly session: Session;
  readonly moment: ShownMoment;
}

function SessionTape({ session, moment }: SessionTapeProps) {
  const span = tapeSpan(session, useNow());
  const go = (time: string) => {
    if (shareOf(time, span) >= LIVE_EDGE) moment.goLive();
    else moment.go(time);
  };
  return (
    <div className="border-line border-b px-4 pt-1 pb-2 sm:px-6">
      <Tape
        recording={session.recording}
        span={span}
        isLive={isRecorded(session)}
        isOpen={session.status === 'ACTIVE'}
        onGo={go}
        onGap={({ to }) => moment.go(to)}
      />
    </div>
  );
}

function MissingSession({ last }: { readonly last: Session | undefined }) {
  if (!last) {
    return (
      <MissingState
        title="There is no such session"
        action={<ButtonLink to="/">Your projects</ButtonLink>}
      >
        It was deleted, or it belongs to a project that you are not a member of. Ask the person who
        sent you the link.
      </MissingState>
    );
  }
  const { name, projectId } = last;
  return (
    <MissingState
      title={`“${name}” is gone`}
      action={
        <ButtonLink to="/projects/$projectId" params={{ projectId }}>
          Sessions of the project
        </ButtonLink>
      }
    >
      It was deleted, or you are no longer a member of its project. Its history cannot be read any
      more.
    </MissingState>
  );
}
