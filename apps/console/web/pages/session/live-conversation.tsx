import type { Conversation, ConversationSnapshot } from '@session/client';
import type { BrowserRoom } from '@session/client/browser';
import { useRoom, useTimeline } from '@session/client/react';
import type { Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useMe } from '../../service/me.ts';
import { useOfflineSince, useService } from '../../service/service.ts';
import { inWords } from '../../ui/durations.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { momentText } from '../../ui/time-text.ts';
import { useNow } from '../../ui/use-now.ts';
import { EraseProvider } from '../erasures/erase-message.tsx';
import { ClosedBar } from './composer/closed-bar.tsx';
import { Composer } from './composer/composer.tsx';
import { HandoverNotice } from './composer/handover-notice.tsx';
import { useKeptWords } from './composer/kept-words.ts';
import { LeftWords } from './composer/left-words.tsx';
import { UnsentNotice } from './composer/unsent-notice.tsx';
import { ConversationList } from './conversation/conversation-list.tsx';
import { isEvent } from './conversation/message-facts.ts';
import { nextGap } from './conversation/positions.ts';
import { useJump } from './conversation/use-jump.ts';
import { agentsQuery } from './session-queries.ts';
import { RowsSkeleton } from './session-skeleton.tsx';
import type { ShownMoment } from './use-moment.ts';
import { PresenceLine } from './voice/presence-line.tsx';
import { usePushToTalk } from './voice/use-push-to-talk.ts';
import { VoiceNotices } from './voice/voice-notices.tsx';

type Connection = ConversationSnapshot['connection'];

const CONNECTION_TEXTS: ReadonlyMap<Connection, string> = new Map([
  [
    'reconnecting',
    'The connection to the room was lost. Coming back; what you write is sent anyway.',
  ],
  ['offline', 'The service does not answer now. What you write is sent when it does.'],
]);
const STARTED_LATE_MS = 1000;

interface LiveConversationProps {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly room: BrowserRoom;
  readonly moment: ShownMoment;
}

export function LiveConversation(props: LiveConversationProps) {
  const { session, conversation, moment } = props;
  const me = useMe();
  const snapshot = useTimeline(conversation);
  const jump = useJump(conversation, moment.visit);
  const toGap = (time: string, step: -1 | 1) => {
    const gap = nextGap(session.recording.gaps, time, step);
    if (gap) moment.go(gap.to);
  };
  if (snapshot.items.length === 0 && !snapshot.isLoaded && !snapshot.error) {
    return <RowsSkeleton />;
  }
  const isSilent = !snapshot.hasOlder && snapshot.items.every(isEvent);
  return (
    <>
      {session.status === 'CLOSED' ? null : <ConnectionLine connection={snapshot.connection} />}
      {snapshot.items.length === 0 ? (
        <EmptyConversation session={session} />
      ) : (
        <EraseProvider session={session}>
          <ConversationList
            {...{ conversation, jump }}
            sessionId={session.id}
            selfId={me?.id}
            unseen={snapshot.unseen}
            onLive={moment.goLive}
            onGap={toGap}
          />
        </EraseProvider>
      )}
      <div className="mx-auto w-full max-w-220 px-3 pt-2 pb-2 sm:px-6">
        <Foot {...props} {...{ snapshot, isSilent }} userId={me?.id} />
      </div>
    </>
  );
}

interface FootProps extends LiveConversationProps {
  readonly snapshot: ConversationSnapshot;
  readonly isSilent: boolean;
  readonly userId: string | undefined;
}

function Foot(props: FootProps) {
  const { session, conversation, snapshot, userId } = props;
  if (session.status === 'CLOSED') {
    return (
      <>
        {userId !== undefined && <LeftWords {...{ conversation, userId }} sessionId={session.id} />}
        <ClosedBar session={session} />
      </>
    );
  }
  if (snapshot.error) {
    return <ErrorNotice error={snapshot.error} onRetry={() => location.reload()} />;
  }
  return userId === undefined ? null : <TalkFoot {...props} userId={userId} />;
}

function TalkFoot(props: FootProps & { readonly userId: string }) {
  const { session, conversation, room, moment, snapshot, isSilent, userId } = props;
  const kept = useKeptWords(conversation, userId, session.id);
  const { client } = useService();
  const { data: agents } = useQuery(agentsQuery(client, session.id));
  // Handovers and suggestions concern only agents that have not stopped.
  const running = agents?.filter(({ status }) => status !== 'Stopped') ?? [];
  usePushToTalk(room);
  useJoinToTalk(conversation, room);
  return (
    <>
      {/* Comes first, because it appears and disappears often, and the foot grows upwards. */}
      <PresenceLine room={room} sessionId={session.id} />
      <VoiceNotices room={room} />
      <UnsentNotice {...{ conversation, kept }} sessionId={session.id} />
      <HandoverNotice {...{ conversation, snapshot }} agents={running} sessionId={session.id} />
      <Composer
        {...{ conversation, room, kept }}
        isFirst={isSilent && running.length > 0}
        onSaid={moment.goLive}
      />
    </>
  );
}

/** Joins the room when the microphone opens. If the microphone is denied, the user stays outside. */
function useJoinToTalk(conversation: Conversation, room: BrowserRoom): void {
  const { microphone } = useRoom(room);
  const isOpen = microphone === 'on' || microphone === 'muted';
  useEffect(() => {
    const { error, mode } = conversation.timeline.getSnapshot();
    // After an error the conversation is closed.
    if (isOpen && !error && mode === 'history') conversation.setMode('join');
  }, [isOpen, conversation]);
}

function ConnectionLine({ connection }: { readonly connection: Connection }) {
  const text = CONNECTION_TEXTS.get(connection);
  // While the whole service is unreachable, the frame of the page shows that.
  const isSaid = useOfflineSince() !== null && connection === 'offline';
  return text === undefined || isSaid ? null : <CutOff key={connection} text={text} />;
}

function CutOff({ text }: { readonly text: string }) {
  const [since] = useState(() => Date.now());
  const ms = useNow('second') - since;
  return (
    <p className="flex items-center gap-2 bg-gap-soft px-4 py-1.5 text-control text-gap sm:px-6">
      <span
        aria-hidden
        className="size-2 shrink-0 animate-breathe rounded-full border-2 border-gap"
      />
      <output>{text}</output>
      {ms >= STARTED_LATE_MS && <span className="tabular-nums">{inWords(ms)}</span>}
    </p>
  );
}

function EmptyConversation({ session }: { readonly session: Session }) {
  const isOpen = session.status === 'ACTIVE';
  return (
    <div className="flex min-h-0 flex-1 flex-col items-start justify-end gap-3 overflow-y-auto px-4 pb-4 sm:px-6">
      <Drawing />
      {session.historyFrom === null ? (
        <>
          <p className="font-strong text-title">
            {isOpen ? 'Nothing has been said yet.' : 'Nothing was said.'}
          </p>
          {isOpen && (
            <p className="max-w-140 text-ink-2">
              Write below, or talk. Every word is recorded, and is still here when you come back. An
              agent that you start in the panel answers.
            </p>
          )}
        </>
      ) : (
        <DeletedMessages until={session.historyFrom} />
      )}
    </div>
  );
}

function DeletedMessages({ until }: { readonly until: string }) {
  return (
    <>
      <p className="font-strong text-title">No message is left.</p>
      <p className="max-w-140 text-ink-2">
        Messages until {momentText(Date.parse(until))} were deleted, because the project limits how
        long it keeps them.
      </p>
    </>
  );
}

function Drawing() {
  return (
    <svg aria-hidden="true" viewBox="0 0 240 72" className="h-18 w-60 text-line">
      <rect x="0" y="4" width="2" height="24" className="fill-iris" />
      <rect x="12" y="4" width="64" height="6" rx="3" fill="currentColor" />
      <rect x="12" y="18" width="180" height="6" rx="3" fill="currentColor" />
      <rect x="0" y="44" width="2" height="24" className="fill-ink-3" />
      <rect x="12" y="44" width="48" height="6" rx="3" fill="currentColor" />
      <rect x="12" y="58" width="120" height="6" rx="3" fill="currentColor" />
    </svg>
  );
}
